import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprints } from '../modules/write-fingerprints.ts';
import { compare } from './describe-changes.ts';
import { UnreadableError } from './load-document.ts';

const SOURCE = /\.[cm]?[jt]s$/;
const NO_HANDLER = /\.(?:test|spec|gen|d)\.[cm]?[jt]s$|(?:^|\/)index\.[cm]?[jt]s$/;

/**
 * Holds a folder, in which each handler is a file named after its operationId, to the operations: which
 * files may no longer fit, which have no operation, and which operations have no file. Nothing in it is
 * touched.
 *
 * @throws UnreadableError where the folder is there, and cannot be read
 */
export async function describeHandlers(
  folder: string,
  before: Fingerprints | undefined,
  after: Fingerprints,
): Promise<string[]> {
  const files = await findFiles(folder);
  const changed = before === undefined ? new Map() : compare(before, after).changed;
  const operations = Object.keys(after.operations);
  const toPath = (operationId: string) => join(folder, files.get(operationId) ?? '');
  const affected = operations.filter((each) => files.has(each) && changed.has(each));
  const obsolete = [...files.keys()].filter((each) => !Object.hasOwn(after.operations, each));
  const missing = operations.filter((each) => !files.has(each));
  return [
    ...affected.map(
      (each) => `look at ${toPath(each)}: ${changed.get(each)?.join(' and ')} changed`,
    ),
    ...obsolete.map((each) => `obsolete: ${toPath(each)}: there is no such operation`),
    ...(missing.length > 0 ? [`without a handler (501): ${missing.join(', ')}`] : []),
  ];
}

/** Files by operationId, which may hold slashes. */
async function findFiles(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new UnreadableError(
      `--handlers ${folder} cannot be read (${error.code}): name a folder.`,
    );
  });
  const sources = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => SOURCE.test(name) && !NO_HANDLER.test(name));
  return new Map(sources.sort().map((name) => [name.replace(SOURCE, ''), name]));
}
