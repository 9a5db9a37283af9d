import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/**
 * A real file system of this size, removed after the test; or the reason why there is none: only root
 * can mount on Linux.
 *
 * @param options as of `mount -t tmpfs -o`
 */
export async function mountSmallDisk(options: string) {
  const folder = await useTempFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  } catch (error) {
    return { reason: `cannot mount a file system here: ${String(error)}` };
  }
  // Before the folder is removed: the last registered callback runs first. Lazily: a rejected upload may
  // still be closing its file.
  onTestFinished(() => run('umount', ['-l', folder]).then(() => {}));
  const remount = (option: 'ro' | 'rw') => run('mount', ['-o', `remount,${option}`, folder]);
  return { folder, remount };
}

export async function newTempFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'berth-blobs-')));
}

/** A folder that is removed after the test. */
export async function useTempFolder(): Promise<string> {
  const folder = await newTempFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
