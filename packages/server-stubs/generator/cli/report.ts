import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../document.ts';
import type { Fingerprint, Fingerprints } from '../modules/write-fingerprints.ts';
import { UnreadableError } from './load-document.ts';
import type { Locator } from './locate.ts';

const PARTS = ['input', 'output', 'security'] as const;
const SOURCE = /\.[cm]?[jt]s$/;
const NO_HANDLER = /\.(?:test|spec|gen|d)\.[cm]?[jt]s$|(?:^|\/)index\.[cm]?[jt]s$/;

/** Describes, line by line, what a run changed for the handlers. Returns nothing for the first run. */
export function describeChanges(before: Fingerprints | undefined, after: Fingerprints): string[] {
  if (before === undefined) return [];
  const { added, removed, changed } = compare(before, after);
  const parts = [...changed].map(([operationId, names]) => `${operationId} (${names.join(', ')})`);
  return [
    ...(parts.length > 0 ? [`changed: ${parts.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed: ${removed.join(', ')}`] : []),
    ...(added.length > 0 ? [`added: ${added.join(', ')}`] : []),
  ];
}

/** Operations that differ from the previous run, and the parts that differ. */
interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: ReadonlyMap<string, readonly (keyof Fingerprint)[]>;
}

function compare(before: Fingerprints, after: Fingerprints): Changes {
  const changed = new Map<string, readonly (keyof Fingerprint)[]>();
  for (const [operationId, now] of Object.entries(after.operations)) {
    const then = before.operations[operationId];
    const parts = then === undefined ? [] : PARTS.filter((part) => then[part] !== now[part]);
    if (parts.length > 0) changed.set(operationId, parts);
  }
  return {
    added: missingFrom(before, after),
    removed: missingFrom(after, before),
    changed,
  };
}

function missingFrom(list: Fingerprints, other: Fingerprints): string[] {
  return Object.keys(other.operations).filter((each) => !Object.hasOwn(list.operations, each));
}

/**
 * Compares a folder, in which each handler is a file named after its operationId, with the operations.
 * Reports files that may no longer compile, and files without an operation. Changes nothing.
 *
 * @returns the report, and the operations without a file
 *
 * @throws UnreadableError if the folder exists but cannot be read
 */
export async function describeHandlers(
  folder: string,
  before: Fingerprints | undefined,
  after: Fingerprints,
): Promise<{ readonly lines: string[]; readonly missing: readonly string[] }> {
  const files = await findFiles(folder);
  const changed = before === undefined ? new Map() : compare(before, after).changed;
  const operations = Object.keys(after.operations);
  const toPath = (operationId: string) => join(folder, files.get(operationId) ?? '');
  const affected = operations.filter((each) => files.has(each) && changed.has(each));
  const obsolete = [...files.keys()].filter((each) => !Object.hasOwn(after.operations, each));
  const missing = operations.filter((each) => !files.has(each));
  const lines = [
    ...affected.map(
      (each) => `review ${toPath(each)}: ${changed.get(each)?.join(' and ')} changed`,
    ),
    ...obsolete.map((each) => `obsolete: ${toPath(each)}: the document has no such operation`),
  ];
  return { lines, missing };
}

/** Finds the files by operationId, which may contain slashes. */
async function findFiles(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new UnreadableError(
      `--handlers ${folder} cannot be read (${error.code}): pass an existing folder.`,
    );
  });
  const sources = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => SOURCE.test(name) && !NO_HANDLER.test(name));
  return new Map(sources.sort().map((name) => [name.replace(SOURCE, ''), name]));
}

/** Warnings or notes line by line, each message once with all its places. */
export function describeProblems(
  kind: 'warning' | 'note',
  problems: readonly Problem[],
  locate: Locator,
): string[] {
  const places = new Map<string, string[]>();
  for (const { message, pointer } of problems) {
    const known = places.get(message) ?? [];
    places.set(message, known);
    known.push(kind === 'warning' ? `  ${locate(pointer)} ${pointer}` : `  ${pointer}`);
  }
  return [...places].flatMap(([message, each]) => [`${kind}: ${message}`, ...each]);
}
