import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { useTempFolder } from './temp-folder.ts';

const run = promisify(execFile);

/**
 * A real file system of that size, gone when the test is over; or the reason why there can be none:
 * mounting is for the superuser of Linux.
 *
 * @param options as of `mount -t tmpfs -o`
 */
export async function mountSmallDisk(
  options: string,
): Promise<{ folder: string } | { reason: string }> {
  const folder = await useTempFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  } catch (error) {
    return { reason: `no file system can be mounted here: ${String(error)}` };
  }
  // Before the folder is removed: what was registered last is done first.
  onTestFinished(async () => {
    await run('umount', [folder]);
  });
  return { folder };
}
