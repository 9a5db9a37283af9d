import { constants } from 'node:fs';
import { copyFile as copyBytes, lstat, open, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type BlobStore,
  type CopyOptions,
} from './blob-store.ts';
import { orMissing, withStoreErrors } from './disk-error.ts';
import { sweepFiles } from './fsck.ts';
import {
  assertStoreExists,
  checkDisk,
  createLayout,
  type Layout,
  makeFolder,
  placeIn,
  syncFolder,
} from './layout.ts';
import { withLocks } from './locks.ts';
import { openFile, statFile } from './open-file.ts';
import { takeStore } from './owner.ts';
import { writeFile } from './write-file.ts';

/**
 * Creates a blob store on disk, which this process owns until it is closed. Nothing else may change `root`, and there
 * is no other state. `<root>/files/<environment>/<ab>/<SHA-256 of the path>` contains the content and a trailer, and
 * never changes; `<root>/tmp` contains files that are being written.
 * @throws StoreUnavailableError if the folder cannot be used, or another process uses it
 */
export function createFileBlobStore({ root }: { readonly root: string }): Promise<BlobStore> {
  return withStoreErrors(async () => {
    await makeFolder(root);
    const layout = createLayout(await realpath(root));
    for (const folder of [layout.files, layout.tmp]) await makeFolder(folder);
    await syncFolder(layout.root);
    const giveBack = await takeStore(layout.root);
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
      close: giveBack,
    };
  });
}

/** Copies the bytes of a file, which a disk with copy-on-write shares between both. */
async function copyFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  const assertNew = async () => {
    if (!overwrite && (await isThere(destination))) throw new BlobExistsError(to);
  };
  const tmp = layout.newTmpFile();
  layout.uploads.add(tmp);
  try {
    // Also before the bytes are copied, which may take long.
    if ((await statFile(source)) !== undefined) await assertNew();
    const info = await copyVersion(source, tmp);
    if (info === undefined) {
      await assertStoreExists(layout);
      throw new BlobMissingError(from);
    }
    await placeIn(layout, dirname(destination), () =>
      withLocks([destination], async () => {
        await assertNew();
        await rename(tmp, destination);
      }),
    );
    return info;
  } finally {
    await rm(tmp, { force: true });
    layout.uploads.delete(tmp);
  }
}

/** Copies one version of a file durably; returns undefined if the file does not exist. */
async function copyVersion(source: string, tmp: string): Promise<BlobInfo | undefined> {
  return orMissing(async () => {
    // Checked first, because the copy would follow a symbolic link.
    if ((await statFile(source)) === undefined) return undefined;
    await copyBytes(source, tmp, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(tmp, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return statFile(tmp);
  });
}

/** Moves a file durably. The file is always in one of the two places, even if the process is killed. */
async function moveFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  const move = () =>
    withLocks([source, destination], async () => {
      const info = await statFile(source);
      if (info === undefined) {
        await assertStoreExists(layout);
        throw new BlobMissingError(from);
      }
      if (!overwrite && (await isThere(destination))) throw new BlobExistsError(to);
      await rename(source, destination);
      return info;
    });
  const info = await placeIn(layout, dirname(destination), move);
  await syncFolder(dirname(source));
  return info;
}

async function deleteFile(layout: Layout, key: BlobKey): Promise<boolean> {
  const file = layout.fileOf(key);
  const wasThere = await withLocks([file], () => orMissing(() => unlink(file).then(() => true)));
  if (wasThere === undefined) {
    await assertStoreExists(layout);
    return false;
  }
  await syncFolder(dirname(file));
  return true;
}

async function isThere(path: string): Promise<boolean> {
  return (await orMissing(() => lstat(path))) !== undefined;
}
