import { statSync } from 'node:fs';

/** What happens to the files that a mock uses. */
export interface FileEvents {
  /** Called with the path of a file that has been read again after a change. */
  readonly onReload?: ((path: string) => void) | undefined;
  /** Called with what is wrong with a changed file, whose last good version is used, and with errors of services. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** Finds out whether files have changed since they were read. */
export class FileWatch {
  readonly #states: ReadonlyMap<string, string>;

  constructor(paths: readonly string[]) {
    this.#states = new Map(paths.map((path) => [path, stateOf(path)]));
  }

  isStale(): boolean {
    for (const [path, state] of this.#states) if (stateOf(path) !== state) return true;
    return false;
  }
}

/** Editors replace a file, so that its inode changes, or write it in place. */
function stateOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
