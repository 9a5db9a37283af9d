import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** How long to wait after a change, because editors write a file in several steps. */
const SETTLE_MILLISECONDS = 50;

/** Matches the files that a document may consist of, except for generated ones. */
const SOURCE = /(?<!\.gen)\.(?:ya?ml|json)$/;

/**
 * Calls a function immediately, and again after each change to the document or to any other YAML or JSON file
 * in its folder. Calls never overlap. The promise never resolves.
 *
 * @throws the file system error if the folder can no longer be watched
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
