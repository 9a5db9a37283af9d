import { realpath, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BlobKey, BlobStore } from '../blob-store.ts';
import { sweepFiles } from './check-file-store.ts';
import { copyFile, moveFile } from './copy-file.ts';
import { diskCodeOf, withStoreErrors } from './disk-error.ts';
import {
  assertRealFolder,
  assertStoreExists,
  checkDisk,
  createLayout,
  type Layout,
  makeFolder,
  pruneFolders,
  syncFolder,
} from './folders.ts';
import { openFile, statFile } from './open-file.ts';
import { writeFile } from './write-file.ts';

/**
 * Creates a blob store on disk. Nothing else may use `root`, and its disk must support hard links. Any number of
 * processes may share it, and there is no other state. `<root>/files/<environment>+/<folder>+/<file>` contains the
 * content and a trailer, and never changes; `<root>/tmp` contains files that are being written.
 * @throws StoreUnavailableError if the folder cannot be used
 */
export function createFileBlobStore({ root }: { readonly root: string }): Promise<BlobStore> {
  return withStoreErrors(async () => {
    await makeFolder(root);
    const layout = createLayout(await realpath(root));
    for (const folder of [layout.files, layout.tmp]) {
      await makeFolder(folder);
      await assertRealFolder(folder);
    }
    await syncFolder(layout.root);
    const find =
      <Found>(read: (path: string) => Promise<Found | undefined>) =>
      (key: BlobKey) =>
        withStoreErrors(async () => {
          const found = await read(layout.fileOf(key));
          if (found === undefined) await assertStoreExists(layout);
          return found;
        });
    return {
      write: (key, content, options) => writeFile(layout, key, content, options),
      stat: find(statFile),
      open: find(openFile),
      copy: (from, to, options) =>
        withStoreErrors(() => (options.move ? moveFile : copyFile)(layout, from, to, options)),
      delete: (key) => withStoreErrors(() => deleteFile(layout, key)),
      sweep: (olderThan) => withStoreErrors(() => sweepFiles(layout, olderThan)),
      check: () => withStoreErrors(() => checkDisk(layout)),
      close: async () => {},
    };
  });
}

async function deleteFile(layout: Layout, key: BlobKey): Promise<boolean> {
  const file = layout.fileOf(key);
  const folder = dirname(file);
  try {
    await assertRealFolder(folder);
    await unlink(file);
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT') throw error;
    await assertStoreExists(layout);
    return false;
  }
  await pruneFolders(layout.files, folder);
  return true;
}
