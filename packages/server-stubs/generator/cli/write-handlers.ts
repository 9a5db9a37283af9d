import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder, withFolderError } from '../files.ts';
import type { Generated, GenerateOptions } from '../generate.ts';
import { toKey, toLiteral, toVariableName } from '../names.ts';

/** Matches operationIds that can be the name of a handler's file. */
const FILE_NAME = /^[A-Za-z_$][\w$-]*$/;
const RESERVED = /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i;

interface Folders {
  /** Folder of the handlers. */
  readonly handlers: string;
  /** Folder of the generated files. */
  readonly output: string;
}

/**
 * Writes a file with an unimplemented handler for each operation that has none. If the folder has no
 * handlers, also writes an index. Never changes an existing file. This is why each operation has its own: a
 * file for each tag would need an edit for every new operation.
 *
 * @param missing operationIds without a file
 * @returns lines that report which files were written and which were not
 */
export async function writeHandlers(
  { operations }: Generated,
  missing: readonly string[],
  { handlers, output }: Folders,
  options: GenerateOptions,
): Promise<string[]> {
  const extension = options.importExtension ?? 'ts';
  const runtime = options.runtime ?? '@berth/server-stubs/runtime';
  const from = relative(handlers, output).replaceAll('\\', '/');
  const generated = `${from.startsWith('.') ? from : `./${from}`}/index.gen.${extension}`;
  const ids = new Set(missing);
  const found = operations.filter(({ operationId }) => ids.has(operationId));
  const named = found.filter(
    ({ operationId }) => FILE_NAME.test(operationId) && !RESERVED.test(operationId),
  );
  const isFirst = named.length === operations.length && !(await hasFiles(handlers));
  const lines: string[] = [];
  const write = async (name: string, text: string) => {
    const file = join(handlers, name);
    if (await writeOnce(file, text).catch(withFolderError(handlers, 'choose another folder'))) {
      lines.push(`wrote ${file}`);
    }
  };
  for (const { operationId, method, path } of named) {
    const name = toVariableName(operationId);
    await write(
      `${operationId}.ts`,
      `import { FaultError } from '${runtime}';
import type { Handlers } from '${generated}';

/** \`${`${method} ${path}`.replaceAll('*/', '*\\/')}\` */
export const ${name}: NonNullable<Handlers[${toLiteral(operationId)}]> = async () => {
  const message = ${toLiteral(`${operationId} is not implemented yet.`)};
  throw new FaultError({ kind: 'not-implemented', status: 501, message });
};
`,
    );
  }
  if (isFirst) await write('index.ts', toIndex(found, generated, extension));
  const others = found.filter((operation) => !named.includes(operation));
  for (const { operationId } of others) {
    lines.push(`not written: ${operationId} is not a valid file name`);
  }
  if (named.length > 0 && !isFirst) {
    const ids = named.map(({ operationId }) => operationId);
    lines.push(
      'add these to the handlers of your router:',
      ...ids.map((id) => `  ${toImport(id, extension)}`),
      ...ids.map((id) => `  ${toMember(id)}`),
    );
  }
  return lines;
}

function toIndex(
  operations: Generated['operations'],
  generated: string,
  extension: string,
): string {
  const ids = operations.map(({ operationId }) => operationId);
  return `import type { Handlers } from '${generated}';
${ids.map((id) => `${toImport(id, extension)}\n`).join('')}
/** Handlers by operationId, for \`createRouter\`. */
export const handlers: Handlers = {
${ids.map((id) => `  ${toMember(id)}\n`).join('')}};
`;
}

function toImport(operationId: string, extension: string): string {
  return `import { ${toVariableName(operationId)} } from './${operationId}.${extension}';`;
}

function toMember(operationId: string): string {
  const name = toVariableName(operationId);
  return operationId === name ? `${name},` : `${toKey(operationId)}: ${name},`;
}

async function hasFiles(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
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
