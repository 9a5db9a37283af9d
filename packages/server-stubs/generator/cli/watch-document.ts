import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Editors write a file in several steps. */
const SETTLE_MILLISECONDS = 50;

/** Files that a document may consist of, without those that are generated. */
const SOURCE = /(?<!\.gen)\.(?:ya?ml|json)$/;

/**
 * Calls a function now, and after each change of a document, or of another YAML or JSON file in its folder, one call
 * at a time. Never resolves.
 *
 * @throws the file system error if the folder cannot be watched any more
 */
export async function watchDocument(file: string, onChange: () => Promise<void>): Promise<never> {
  let isChanged = true;
  let wake = () => {};
  let fail = (_error: Error) => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const watcher = watch(dirname(resolve(file)), (_, name) => {
    if (name !== null && name !== basename(file) && !SOURCE.test(name)) return;
    isChanged = true;
    wake();
  });
  watcher.on('error', (error) => fail(error));
  for (;;) {
    const changed = new Promise<void>((done) => {
      wake = done;
    });
    if (!isChanged) await Promise.race([changed, failed]);
    await wait(SETTLE_MILLISECONDS);
    isChanged = false;
    await onChange();
  }
}
