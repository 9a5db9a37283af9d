import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface FileWatch {
  /** Resolves when a change that is being handled is done. No other change is reported after that. */
  close(): Promise<void>;
}

/**
 * Differs after a write, after a rename over the file, and after a symbolic link in its path has been
 * swapped.
 */
async function look(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * Calls `onChange` when one of the files has changed: when it is written in place, when another file is renamed to
 * it, or when a symbolic link in its path points elsewhere, as in a Kubernetes ConfigMap. Files that change together
 * count as one change, which is reported once they stop changing.
 *
 * It polls because file system events miss the targets of symbolic links, replaced folders and network disks. Read
 * the files only after the promise resolves, or a change in between goes unnoticed. Watching does not keep the
 * process alive.
 */
export async function watchFile(
  paths: readonly string[],
  onChange: () => unknown,
  { onError = (_: Error) => {}, intervalMs = 500 } = {},
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
