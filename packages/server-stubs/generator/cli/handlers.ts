import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder, withFolderError } from '../files.ts';
import type { Generated, GenerateOptions } from '../generate.ts';
import { UnreadableError } from '../load-document.ts';
import { toKey, toLiteral, toVariableName } from '../names.ts';

/** Matches operationIds that can be the name of a handler's file. */
const FILE_NAME = /^[A-Za-z_$][\w$-]*$/;
const RESERVED = /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i;

/** The files in the folder of the handlers. It need not exist. */
export async function listHandlers(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new UnreadableError(
      `--handlers ${folder} cannot be read (${error.code}): pass an existing folder.`,
    );
  });
}

/**
 * Writes the missing handlers, and an index if there were none. Never changes an existing file. This is why
 * each operation has its own: a file for each tag would need an edit for every new operation.
 */
export async function writeHandlers(
  { operations }: Generated,
  files: readonly string[],
  folder: string,
  options: GenerateOptions & { readonly output: string },
): Promise<string[]> {
  const extension = options.importExtension ?? 'ts';
  const from = relative(folder, options.output).replaceAll('\\', '/');
  const generated = `${from.startsWith('.') ? from : `./${from}`}/index.gen.${extension}`;
  const known = new Set(files.map((file) => file.replace(/\.[cm]?[jt]s$/, '')));
  const missing = operations.filter(({ operationId }) => !known.has(operationId));
  const isNamed = ({ operationId }: { operationId: string }) =>
    FILE_NAME.test(operationId) && !RESERVED.test(operationId);
  const named = missing.filter(isNamed);
  const ids = named.map(({ operationId }) => operationId);
  const isFirst = named.length === operations.length && files.length === 0;
  const lines: string[] = [];
  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    if (await writeOnce(file, text).catch(withFolderError(folder, 'choose another folder'))) {
      lines.push(`wrote ${file}`);
    }
  };
  for (const { operationId, method, path } of named) {
    await write(
      `${operationId}.ts`,
      `import { FaultError } from '@berth/server-stubs/runtime';
import type { Handlers } from '${generated}';

/** \`${`${method} ${path}`.replaceAll('*/', '*\\/')}\` */
export const ${toVariableName(operationId)}: NonNullable<Handlers[${toLiteral(operationId)}]> = async () => {
  const message = ${toLiteral(`${operationId} is not implemented yet.`)};
  throw new FaultError({ kind: 'not-implemented', status: 501, message });
};
`,
    );
  }
  const imports = ids.map((id) => `import { ${toVariableName(id)} } from './${id}.${extension}';`);
  const members = ids.map((id) => {
    const name = toVariableName(id);
    return id === name ? `  ${name},` : `  ${toKey(id)}: ${name},`;
  });
  if (isFirst) {
    await write(
      'index.ts',
      `import type { Handlers } from '${generated}';
${imports.join('\n')}

/** Handlers by operationId, for \`createRouter\`. */
export const handlers: Handlers = {
${members.join('\n')}
};
`,
    );
  }
  for (const { operationId } of missing.filter((each) => !isNamed(each))) {
    lines.push(`not written: ${operationId} is not a valid file name`);
  }
  if (ids.length > 0 && !isFirst) {
    lines.push('add these to the handlers of your router:');
    lines.push(...imports.map((line) => `  ${line}`), ...members);
  }
  return lines;
}

/** @returns false if the file exists */
async function writeOnce(file: string, text: string): Promise<boolean> {
  await makeFolder(dirname(file));
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
