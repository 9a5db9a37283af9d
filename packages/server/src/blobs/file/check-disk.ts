import { link, rm, stat, writeFile } from 'node:fs/promises';
import { StoreUnavailableError } from '../blob-errors.ts';
import { assertRealFolder } from './folders.ts';
import type { Layout } from './layout.ts';

/** Tries what every change of a file needs: room, the right to write, hard links, one disk. */
export async function checkDisk(layout: Layout): Promise<void> {
  await assertRealFolder(layout.files);
  await assertRealFolder(layout.tmp);
  const [files, tmp] = await Promise.all([stat(layout.files), stat(layout.tmp)]);
  if (files.dev !== tmp.dev) {
    throw new StoreUnavailableError(`${layout.files} and ${layout.tmp} must stand on one disk.`);
  }
  const [probe, second] = [layout.newTmpFile(), layout.newTmpFile()];
  try {
    await writeFile(probe, 'probe', { flag: 'wx', flush: true });
    await link(probe, second);
  } finally {
    await rm(probe, { force: true });
    await rm(second, { force: true });
  }
}
