import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface WatchFileOptions {
  /** Hears that a file is gone or cannot be read, once until it changes, and what `onChange` throws. */
  readonly onError?: (error: Error) => void;
  /** Milliseconds between two looks. Default: 500. */
  readonly intervalMs?: number;
}

export interface FileWatch {
  /** Resolves when a change that is being handled is through, and none will follow. */
  close(): Promise<void>;
}

/** What differs after a write, a rename over the file, and a swap of a link on the way to it. */
async function look(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * Calls `onChange` when one of the files has changed: was written in place, replaced by a rename as
 * editors do, or lies behind a link that now leads elsewhere, as Kubernetes swaps `..data` of a
 * ConfigMap. Files that change together are one change, and one that still changes is waited for. While
 * a file is missing nothing is called but `onError`.
 *
 * It looks instead of listening: events of the file system miss the far end of links, folders that are
 * replaced, and network disks, and a look at a few files costs next to nothing. Changes are heard within
 * two intervals, counted from the moment that the promise resolves: read the files after that, or a
 * change in between goes unheard. The process is not kept alive.
 *
 * @param onChange may be asynchronous: the next change waits for it
 * @example
 * const watch = await watchFile(['berth.yaml', 'jwks.json'], () => server.update(loadConfig()));
 * await watch.close();
 */
export async function watchFile(
  paths: readonly string[],
  onChange: () => unknown,
  { onError = () => {}, intervalMs = 500 }: WatchFileOptions = {},
): Promise<FileWatch> {
  const ending = new AbortController();
  const problems = new Map<string, string>();

  const lookAt = async (path: string): Promise<string | undefined> => {
    try {
      const found = await look(path);
      problems.delete(path);
      return found;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (problems.get(path) !== code) onError(error as Error);
      problems.set(path, code);
      return undefined;
    }
  };

  /** Undefined while a file is missing. */
  const lookAtAll = async () => {
    const looks = await Promise.all(paths.map(lookAt));
    return looks.includes(undefined) ? undefined : looks.join('\n');
  };

  let handled = await lookAtAll();
  const run = async () => {
    let last = handled;
    while (!ending.signal.aborted) {
      await wait(intervalMs, undefined, { ref: false, signal: ending.signal });
      const now = await lookAtAll();
      const settled = now === last;
      last = now;
      if (!settled || now === undefined || now === handled || ending.signal.aborted) continue;
      handled = now;
      try {
        await onChange();
      } catch (error) {
        onError(error as Error);
      }
    }
  };
  const done = run().catch((error: Error) => {
    if (error.name !== 'AbortError') onError(error);
  });

  return {
    async close() {
      ending.abort();
      await done;
    },
  };
}
