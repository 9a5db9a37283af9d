import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { makeFolder } from '../server/support/start-server.ts';

const run = promisify(execFile);

/**
 * A real file system of this size, removed after the test; or the reason why there is none: only root
 * can mount on Linux.
 *
 * @param options as of `mount -t tmpfs -o`
 */
export async function mountSmallDisk(options: string) {
  const folder = await makeFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  } catch (error) {
    return { reason: `cannot mount a file system here: ${String(error)}` };
  }
  // Before the folder is removed: the last callback runs first. Lazily: a rejected upload may still close its file.
  onTestFinished(() => run('umount', ['-l', folder]).then(() => {}));
  const remount = (option: 'ro' | 'rw') => run('mount', ['-o', `remount,${option}`, folder]);
  return { folder, remount };
}
