import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import {
  assertFilePath,
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
  StoreUnavailableError,
  type WriteOptions,
} from '@berth/storage';
import { toLocks, type WithLocks } from '../locks.ts';
import {
  assertEnvironment,
  ENV_NAME,
  type ServerBlob,
  type ServerStore,
  toName,
} from '../server-store.ts';
import {
  diskCodeOf,
  ifExists,
  isFolder,
  makeFolder,
  syncFolder,
  withDiskErrors,
} from './file-system.ts';
import { type Claim, claimStore } from './owners.ts';
import { openStoredFile, writeStoredFile } from './stored-file.ts';

export const STORE_FOLDERS = ['files', 'tmp'] as const;

/** A running process writes to each of its temporary files more often than this. */
const ABANDONED_MILLISECONDS = 24 * 3_600_000;

interface DiskStoreOptions {
  readonly root: string;
  /** Locks that all processes with this store use. Default: no other process uses it. */
  readonly sharedLocks?: WithLocks | undefined;
  /** Called if it takes some seconds to find out whether another process still uses the store. */
  readonly onWait?: () => void;
}

/**
 * Opens a store on disk. Creates its folders if they are missing.
 * @throws StoreUnavailableError if the folder cannot be used, or another process uses it and no locks are shared
 */
export function openDiskStore(options: DiskStoreOptions): Promise<ServerStore> {
  const { root, sharedLocks, onWait } = options;
  return withDiskErrors(async () => {
    await makeFolder(root);
    const folder = await realpath(root);
    for (const name of STORE_FOLDERS) await makeFolder(join(folder, name));
    await syncFolder(folder);
    const advice = 'stop it, choose another folder (--data, store.root), or let both share Redis';
    const ownership = sharedLocks ? 'shared' : 'alone';
    const claim = await claimStore(folder, { ownership, advice, onWait });
    return new DiskStore(folder, sharedLocks, claim);
  });
}

/** Returns the path of a file. No two keys share one, and any disk accepts it, since it has only a hash of the key. */
export function pathOf(root: string, { env, path }: BlobKey): string {
  assertEnvironment(env);
  assertFilePath(path);
  const hash = createHash('sha256').update(path).digest('hex');
  return join(root, 'files', env, hash.slice(0, 2), hash);
}

/** Matches what `pathOf` returns, relative to the root and with `/`. */
export const STORED_FILE = new RegExp(`^files/${ENV_NAME}/([0-9a-f]{2})/\\1[0-9a-f]{62}$`);

/**
 * Files on a disk. There is no other state: the disk knows which files exist.
 *
 * - `<root>/files/<environment>/<ab>/<SHA-256 of the path>` is a file: its content and a trailer. It never changes.
 * - `<root>/tmp/` has files that are being written, on the same disk.
 * - `<root>/owners/` says which processes use the store.
 * - `<root>/set-aside/` has what `fsck` has moved away.
 *
 * D28: "A file becomes visible only when it is complete. An interrupted upload leaves nothing behind. A file whose upload
 * was reported as successful is never lost." So each change takes these steps, and is acknowledged after the last one:
 *
 * 1. Content and trailer are written to a temporary file, which is synced.
 * 2. A rename gives it its name. That is atomic: there is the old file, or the new one, even if the process is killed.
 * 3. The folder is synced, so that the name survives a loss of power.
 *
 * Every change to a file holds the lock on its name (`#change`), so that nothing happens between a check and a rename.
 */
class DiskStore implements ServerStore {
  readonly #root: string;
  readonly #isShared: boolean;
  readonly #withLocks: WithLocks;
  readonly #claim: Claim;
  /** Prefix of the names of this process's temporary files. */
  readonly #process = randomUUID();
  /** Folders below `files` that exist durably, or are being created. */
  readonly #folders = new Map<string, Promise<void>>();

  constructor(root: string, sharedLocks: WithLocks | undefined, claim: Claim) {
    this.#root = root;
    this.#isShared = sharedLocks !== undefined;
    this.#withLocks = toLocks(sharedLocks);
    this.#claim = claim;
  }

  async write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo> {
    const path = pathOf(this.#root, key);
    return this.#withTemporaryFile(async (temporary) => {
      options.signal?.throwIfAborted();
      const info = await writeStoredFile(temporary, content, options);
      // The caller may have disconnected while this waited for the lock.
      const check = async () => options.signal?.throwIfAborted();
      await withDiskErrors(() => this.#rename(temporary, path, [path], check));
      return info;
    });
  }

  async stat(key: BlobKey): Promise<BlobInfo | undefined> {
    const blob = await this.open(key);
    await blob?.close();
    return blob?.info;
  }

  /** The open file stays the same, whatever happens to its name. */
  open(key: BlobKey): Promise<ServerBlob | undefined> {
    return withDiskErrors(async () => {
      const blob = await ifExists(openStoredFile(pathOf(this.#root, key), toName(key)));
      if (blob === undefined) await this.#assertExists();
      return blob;
    });
  }

  copy(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo> {
    return withDiskErrors(() =>
      options.move ? this.#moveFile(from, to, options) : this.#copyFile(from, to, options),
    );
  }

  async #copyFile(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo> {
    const [source, destination] = [pathOf(this.#root, from), pathOf(this.#root, to)];
    await this.#statSource(from);
    // Checked again at the end: copying the bytes may take long.
    await this.#assertAbsent(to, options);
    return this.#withTemporaryFile(async (temporary) => {
      // A disk with copy-on-write shares the bytes between both.
      const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
      await copyFile(source, temporary, mode).catch(async (error) => {
        // Either the source is missing, or the folder of the copy.
        if (diskCodeOf(error) === 'ENOENT') await this.#statSource(from);
        throw error;
      });
      const copy = await open(temporary, 'r+');
      await copy.sync().finally(() => copy.close());
      const { info, close } = await openStoredFile(temporary, toName(to));
      await close();
      const check = () => this.#assertAbsent(to, options);
      await this.#rename(temporary, destination, [destination], check);
      return info;
    });
  }

  /** The file is always in one of the two places. */
  async #moveFile(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo> {
    const [source, destination] = [pathOf(this.#root, from), pathOf(this.#root, to)];
    const check = async () => {
      const found = await this.#statSource(from);
      await this.#assertAbsent(to, options);
      return found;
    };
    const info = await this.#rename(source, destination, [source, destination], check);
    await syncFolder(dirname(source));
    return info;
  }

  async delete(key: BlobKey): Promise<boolean> {
    const path = pathOf(this.#root, key);
    return withDiskErrors(async () => {
      const find = () => ifExists(lstat(path));
      const found = await this.#change([path], find, () => ifExists(unlink(path)));
      if (found) await syncFolder(dirname(path));
      else await this.#assertExists();
      return found !== undefined;
    });
  }

  sweep(): Promise<number> {
    const abandonedSince = Date.now() - (this.#isShared ? ABANDONED_MILLISECONDS : 0);
    const folder = join(this.#root, 'tmp');
    return withDiskErrors(async () => {
      await this.#claim.renew();
      let count = 0;
      for (const name of await readdir(folder)) {
        if (name.startsWith(this.#process)) continue;
        const path = join(folder, name);
        const stats = await ifExists(lstat(path));
        // Unlike `mtime`, `ctime` is never older than the name of the file.
        if (!stats?.isFile() || stats.ctimeMs >= abandonedSince) continue;
        if (await ifExists(unlink(path).then(() => true))) count += 1;
      }
      return count;
    });
  }

  /** Tries what a change requires: space and write permission. */
  check(): Promise<void> {
    return withDiskErrors(async () => {
      await this.#claim.assertHeld();
      await this.#assertExists();
      await this.#withTemporaryFile((path) =>
        writeFile(path, 'probe', { flag: 'wx', flush: true }),
      );
    });
  }

  close(): Promise<void> {
    return this.#claim.release();
  }

  async #withTemporaryFile<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.#root, 'tmp', `${this.#process}-${randomUUID()}`);
    try {
      return await work(path);
    } finally {
      // An error here must not hide one of the work. A sweep removes what remains.
      await rm(path, { force: true }).catch(() => {});
    }
  }

  /** Gives a file another name, which is durable. Locks and check are those of `#change`. */
  async #rename<Found>(
    from: string,
    to: string,
    locked: readonly string[],
    check: () => Promise<Found>,
  ): Promise<Found> {
    const folder = dirname(to);
    await this.#ensureFolder(folder);
    const found = await this.#change(locked, check, () => rename(from, to));
    await syncFolder(folder);
    return found;
  }

  /**
   * Makes a change under a lock, once `check` has passed, unless the lock or the store has been lost by then. Every
   * change to a file under its name is made here.
   * @returns what `check` has found
   */
  async #change<Found>(
    locked: readonly string[],
    check: () => Promise<Found>,
    apply: () => Promise<void>,
  ): Promise<Found> {
    const names = locked.map((path) => relative(this.#root, path));
    try {
      return await this.#withLocks(names, async (lock) => {
        await this.#claim.assertHeld();
        const found = await check();
        lock?.assertHeld();
        await apply();
        return found;
      });
    } catch (error) {
      // Another program has removed a folder, or the disk is not mounted: the next call looks again.
      if (diskCodeOf(error) === 'ENOENT') this.#folders.clear();
      throw error;
    }
  }

  /**
   * Creates a folder durably, once: no file in it is acknowledged before the folder is durable, too. Unlike `makeFolder`,
   * syncs one that exists: whoever created it may have been killed. Never creates `files`: the disk may not be mounted.
   */
  #ensureFolder(folder: string): Promise<void> {
    const create = async () => {
      if (folder === join(this.#root, 'files')) return this.#assertExists();
      const parent = dirname(folder);
      await this.#ensureFolder(parent);
      await mkdir(folder).catch((error) => {
        if (diskCodeOf(error) !== 'EEXIST') throw error;
      });
      await syncFolder(parent);
    };
    const known = this.#folders.get(folder) ?? create();
    this.#folders.set(folder, known);
    // A folder above it may be missing, too: the next call looks again.
    known.catch(() => this.#folders.clear());
    return known;
  }

  async #statSource(key: BlobKey): Promise<BlobInfo> {
    const info = await this.stat(key);
    if (info === undefined) throw new BlobMissingError(key);
    return info;
  }

  async #assertAbsent(key: BlobKey, { overwrite }: CopyOptions): Promise<void> {
    if (overwrite) return;
    if (await ifExists(lstat(pathOf(this.#root, key)))) throw new BlobExistsError(key);
  }

  /** If the disk is not mounted, for example, all files seem to be missing. */
  async #assertExists(): Promise<void> {
    if (await isFolder(join(this.#root, 'files'))) return;
    throw new StoreUnavailableError('The store folder no longer exists.');
  }
}
