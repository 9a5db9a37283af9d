import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ResolvedOptions } from './options.ts';

export interface Live<Value> {
  /** The last good version. */
  readonly current: Value;
  /** Reloads changed files, and returns the last good version. */
  refresh(): Promise<Value>;
}

/** Registers a file to watch. Call it before reading the file, which need not exist yet. */
export type Watch = (file: string) => void;

/** @param options `onProblem` is called if a changed file is invalid. The last good version then stays in use */
export async function openLive<Value>(
  load: (watch: Watch) => Promise<Value>,
  { onProblem }: Pick<ResolvedOptions, 'onProblem'>,
): Promise<Live<Value>> {
  /** Each file's state when it was last read. */
  const states = new Map<string, string>();
  const watch: Watch = (file) => {
    if (!states.has(file)) states.set(file, stateOf(file));
  };
  let current = await load(watch);
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    // Record the states first, so that a file that changes during the load is read again.
    for (const file of states.keys()) states.set(file, stateOf(file));
    try {
      current = await load(watch);
    } catch (error) {
      onProblem((error as Error).message);
    }
    reading = undefined;
  }

  return {
    get current() {
      return current;
    },
    async refresh() {
      // A load that is in progress may have read a file before its last change.
      await reading;
      const isStale = states.entries().some(([file, state]) => stateOf(file) !== state);
      if (isStale) reading ??= read();
      await reading;
      return current;
    },
  };
}

/** The same sentence for all files that a user passes. */
export function describeMissing(path: string): string {
  return `There is no file ${resolve(path)}: check the path.`;
}

/** Editors replace a file, so that its inode changes, or write it in place. */
function stateOf(path: string): string {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch {
    // It does not exist, or is a link to itself.
    return '';
  }
  // A pipe's mtime changes with each write, and reading it again would block until someone writes.
  return stats.isFile() ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : `${stats.ino}`;
}
