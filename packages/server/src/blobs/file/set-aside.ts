import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { orMissing } from './disk-error.ts';
import { pruneFolders, syncFolder } from './folders.ts';
import { judgeFile } from './judge-file.ts';
import type { Layout } from './layout.ts';
import { withFileLocks } from './lock-files.ts';

/**
 * Moves what is under a name of the store, and does not belong there, to `set-aside/` below the root. A file
 * that a server has written since somebody judged it stays (D28).
 */
export async function setAside(layout: Layout, path: string): Promise<void> {
  const version = await identifyVersion(path);
  const judgement = await judgeFile(layout, path);
  if (judgement !== undefined && judgement.problem === undefined) return;
  const aside = join(layout.root, 'set-aside', `${Date.now()}`, relative(layout.files, path));
  const isMoved = await withFileLocks(layout, [path], async () => {
    if (version === undefined || (await identifyVersion(path)) !== version) return false;
    await mkdir(dirname(aside), { recursive: true });
    return (await orMissing(() => rename(path, aside).then(() => true))) ?? false;
  });
  if (!isMoved) return;
  await syncFolder(dirname(aside));
  await pruneFolders(layout.files, dirname(path));
}

async function identifyVersion(path: string): Promise<string | undefined> {
  const stats = await orMissing(() => lstat(path, { bigint: true }));
  return stats && `${stats.dev}:${stats.ino}:${stats.mtimeNs}`;
}
