import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function newTempFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'berth-blobs-')));
}

/** A folder that is gone when the test is over. */
export async function useTempFolder(): Promise<string> {
  const folder = await newTempFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
