import { realpath } from 'node:fs/promises';
import type { BlobStore } from '../blob-store.ts';
import { checkDisk } from './check-disk.ts';
import { copyFile } from './copy-file.ts';
import { deleteFile } from './delete-file.ts';
import { withStoreErrors } from './disk-error.ts';
import { assertRealFolder, syncFolder } from './folders.ts';
import { createLayout, toMissing } from './layout.ts';
import { makeFolder } from './make-folder.ts';
import { moveFile } from './move-file.ts';
import { openFile } from './open-file.ts';
import { statFile } from './stat-file.ts';
import { sweepFiles } from './sweep-files.ts';
import { toOpenBlob } from './to-open-blob.ts';
import { writeFile } from './write-file.ts';

export interface FileBlobStoreOptions {
  /**
   * Folder of the store, made where it is missing. It belongs to the store alone, on a disk that knows
   * hard links. Whoever can write to it can change every file.
   */
  readonly root: string;
}

/**
 * Keeps files on a disk: one file each, readable names, nothing else. Any number of processes may work
 * on one folder.
 *
 * `<root>/files/<environment>+/<folder>+/<file>` holds content and a trailer, and is never changed;
 * `<root>/tmp` holds what is being written. No path leads out of the root, and no symbolic link below
 * it is followed.
 *
 * @throws StoreUnavailableError where the folder cannot be used
 *
 * @example
 * const store = await createFileBlobStore({ root: './data' });
 * await store.write({ env: 'dev', path: 'a.txt' }, content, { contentType: 'text/plain' });
 */
export function createFileBlobStore({ root }: FileBlobStoreOptions): Promise<BlobStore> {
  return withStoreErrors(async () => {
    await makeFolder(root);
    const layout = createLayout(await realpath(root));
    for (const folder of [layout.files, layout.tmp]) {
      await makeFolder(folder);
      await assertRealFolder(folder);
    }
    await syncFolder(layout.root);
    return {
      write: (key, content, options) => writeFile(layout, key, content, options),
      stat: (key) =>
        withStoreErrors(async () => {
          const info = await statFile(layout.fileOf(key));
          if (info === undefined) await toMissing(layout, key);
          return info;
        }),
      open: (key) =>
        withStoreErrors(async () => {
          const opened = await openFile(layout.fileOf(key));
          if (opened === undefined) await toMissing(layout, key);
          return opened && toOpenBlob(opened);
        }),
      copy: (from, to, options) =>
        withStoreErrors(() => (options.move ? moveFile : copyFile)(layout, from, to, options)),
      delete: (key) => withStoreErrors(() => deleteFile(layout, key)),
      sweep: (olderThan) => withStoreErrors(() => sweepFiles(layout, olderThan)),
      check: () => withStoreErrors(() => checkDisk(layout)),
      close: async () => {},
    };
  });
}
