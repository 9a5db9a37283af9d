import type { Entry } from '../../trial/storage-tool.ts';

/** The entries of a list answer that are about a file. They may stand in any order. */
export function entriesOf(entries: readonly Entry[], fileId: string): Entry[] {
  return entries.filter(({ fileID }) => fileID === fileId);
}

/** A value in a message: `7` as a number and `"7"` as a string, and `none` where there is nothing. */
export function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value).slice(0, 100);
}
