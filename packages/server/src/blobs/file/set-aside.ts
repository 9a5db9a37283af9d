import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { diskCodeOf } from './disk-error.ts';
import { syncFolder } from './folders.ts';
import { judgeFile } from './judge-file.ts';
import type { Layout } from './layout.ts';
import { putBack } from './put-back.ts';

/**
 * Moves what stands under a name of the store, and does not belong there, to `set-aside/` below the root.
 *
 * A server may have written the file anew since somebody judged it, and D28 forbids to lose that: so it
 * is judged once more before it is moved, and what was really moved is judged, too, and put back if it
 * is good.
 */
export async function setAside(layout: Layout, path: string): Promise<void> {
  if (await isGood(layout, path)) return;
  const aside = join(layout.root, 'set-aside', `${Date.now()}`, relative(layout.files, path));
  await mkdir(dirname(aside), { recursive: true });
  try {
    await rename(path, aside);
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (await isGood(layout, path, aside)) return putBack(layout, aside, path);
  await syncFolder(dirname(aside));
  await syncFolder(dirname(path));
}

async function isGood(layout: Layout, path: string, place?: string): Promise<boolean> {
  const judgement = await judgeFile(layout, path, place);
  return judgement !== undefined && judgement.problem === undefined;
}
