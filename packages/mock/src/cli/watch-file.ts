import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** An editor writes a file in several steps: they count as one change. */
const QUIET_MS = 50;

/** Tells each change of a file, also where it is replaced by another of its name. */
export function watchFile(file: string, onChange: () => void): { close(): void } {
  const path = resolve(file);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
    if (name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
