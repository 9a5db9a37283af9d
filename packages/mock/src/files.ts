import { statSync } from 'node:fs';

/** What happens to the files that a mock uses. */
export interface FileEvents {
  /** Called with the path of a file that has been read again after a change. */
  readonly onReload?: ((path: string) => void) | undefined;
  /** Called with what is wrong with a changed file, whose last good version is used, and with errors of services. */
  readonly onProblem: (message: string) => void;
}

/** A value that reloads when its files change. */
export interface Live<Value> {
  /** The last good version. */
  readonly current: Value;
  /** Reads changed files. Returns undefined, without waiting, if nothing has changed. Never rejects. */
  refresh(): Promise<void> | undefined;
}

/** Where the value comes from. */
export interface LiveSource<Value> {
  /** For messages. */
  readonly path: string;
  /** @param watch called with each file before it is read, or as early as it is known. A missing one may be created. */
  load(watch: (file: string) => void): Promise<Value>;
}

/** @throws what the first load throws */
export async function openLive<Value>(
  { path, load }: LiveSource<Value>,
  { onReload, onProblem }: FileEvents,
): Promise<Live<Value>> {
  /** The state in which each file has been read. */
  const states = new Map<string, string>();
  const watch = (file: string) => {
    if (!states.has(file)) states.set(file, stateOf(file));
  };
  let current = await load(watch);
  let reading: Promise<void> | undefined;

  function isStale(): boolean {
    for (const [file, state] of states) if (stateOf(file) !== state) return true;
    return false;
  }

  async function read(): Promise<void> {
    // Before the load: what changes while it is read is read again.
    for (const file of states.keys()) states.set(file, stateOf(file));
    try {
      current = await load(watch);
      onReload?.(path);
    } catch (error) {
      onProblem((error as Error).message);
    }
    reading = undefined;
  }

  return {
    get current() {
      return current;
    },
    refresh() {
      if (reading === undefined && isStale()) reading = read();
      return reading;
    },
  };
}

/** Runs a task with the current version of a value: at once if it has not changed. */
export function whenFresh(live: Live<unknown>, task: () => unknown): unknown {
  const reading = live.refresh();
  return reading === undefined ? task() : reading.then(task);
}

/** Wraps a constant as `Live`. */
export function toConstant<Value>(current: Value): Live<Value> {
  return { current, refresh: () => undefined };
}

/** Editors replace a file, so that its inode changes, or write it in place. */
function stateOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
