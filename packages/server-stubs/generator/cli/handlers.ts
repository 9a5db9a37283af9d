import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder, withFolderError } from '../files.ts';
import type { Generated, GenerateOptions } from '../generate.ts';
import { UnreadableError } from '../load-document.ts';
import type { Fingerprint, Fingerprints } from '../modules/write-fingerprints.ts';
import { toKey, toLiteral, toVariableName } from '../names.ts';

const PARTS = ['input', 'output', 'security'] as const;
const SOURCE = /\.[cm]?[jt]s$/;
const NO_HANDLER = /\.(?:test|spec|gen|d)\.[cm]?[jt]s$|(?:^|\/)index\.[cm]?[jt]s$/;

/** Matches operationIds that can be the name of a handler's file. */
const FILE_NAME = /^[A-Za-z_$][\w$-]*$/;
const RESERVED = /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i;

type Changes = ReturnType<typeof compare>;

/** Compares with the previous run. The first run changes nothing. */
export function compare(before: Fingerprints | undefined, after: Fingerprints) {
  const then = before?.operations ?? after.operations;
  const now = after.operations;
  const changed = new Map<string, readonly (keyof Fingerprint)[]>();
  for (const [operationId, print] of Object.entries(now)) {
    const parts = PARTS.filter((part) => (then[operationId] ?? print)[part] !== print[part]);
    if (parts.length > 0) changed.set(operationId, parts);
  }
  return {
    added: Object.keys(now).filter((each) => !Object.hasOwn(then, each)),
    removed: Object.keys(then).filter((each) => !Object.hasOwn(now, each)),
    changed,
  };
}

export function describeChanges({ added, removed, changed }: Changes): string[] {
  const parts = [...changed].map(([operationId, names]) => `${operationId} (${names.join(', ')})`);
  return [
    ...(parts.length > 0 ? [`changed: ${parts.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed: ${removed.join(', ')}`] : []),
    ...(added.length > 0 ? [`added: ${added.join(', ')}`] : []),
  ];
}

/** By operationId, which may contain slashes. */
export async function findHandlers(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new UnreadableError(
      `--handlers ${folder} cannot be read (${error.code}): pass an existing folder.`,
    );
  });
  const sources = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => SOURCE.test(name) && !NO_HANDLER.test(name));
  return new Map(sources.sort().map((name) => [name.replace(SOURCE, ''), join(folder, name)]));
}

export function describeHandlers(
  files: ReadonlyMap<string, string>,
  { changed }: Changes,
  { operations }: Fingerprints,
): string[] {
  const affected = Object.keys(operations).filter((each) => files.has(each) && changed.has(each));
  const obsolete = [...files].filter(([each]) => !Object.hasOwn(operations, each));
  return [
    ...affected.map(
      (each) => `review ${files.get(each)}: ${changed.get(each)?.join(' and ')} changed`,
    ),
    ...obsolete.map(([, file]) => `obsolete: ${file}: the document has no such operation`),
  ];
}

/**
 * Writes the missing handlers, and an index if there were none. Never changes an existing file. This is why
 * each operation has its own: a file for each tag would need an edit for every new operation.
 */
export async function writeHandlers(
  { operations }: Generated,
  known: ReadonlyMap<string, string>,
  folder: string,
  options: GenerateOptions & { readonly output: string },
): Promise<string[]> {
  const extension = options.importExtension ?? 'ts';
  const runtime = options.runtime ?? '@berth/server-stubs/runtime';
  const from = relative(folder, options.output).replaceAll('\\', '/');
  const generated = `${from.startsWith('.') ? from : `./${from}`}/index.gen.${extension}`;
  const missing = operations.filter(({ operationId }) => !known.has(operationId));
  const isNamed = ({ operationId }: { operationId: string }) =>
    FILE_NAME.test(operationId) && !RESERVED.test(operationId);
  const named = missing.filter(isNamed);
  const ids = named.map(({ operationId }) => operationId);
  const files = await readdir(folder).catch(() => []);
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
      `import { FaultError } from '${runtime}';
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
