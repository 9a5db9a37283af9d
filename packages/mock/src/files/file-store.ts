import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** The bytes of one file. Immutable. */
export interface Content {
  bytes(): Buffer;
  /** Returns the bytes from `start` to `end`, both inclusive. */
  read(start: number, end: number): Buffer | Readable;
}

export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** D27: "quoted MD5 `ETag`". */
  readonly etag: string;
  /** By the session's clock. */
  readonly modified: Date;
  readonly content: Content;
}

/** A file that is being written; not visible until it is complete (D28). */
export interface Draft {
  /** Appends bytes; returns false if the store is full or the draft was discarded. */
  append(chunk: Buffer): boolean;
  /**
   * Makes the file visible under a key, replacing any older one; returns undefined if it does not fit.
   *
   * @param modified default: now
   */
  commit(key: string, contentType: string, modified?: Date): StoredFile | undefined;
  /** Releases the reserved space. */
  discard(): void;
}

/** The mock's only bucket. */
export const BUCKET = 'files';

/** Converts a path to a key. D24: "one leading `/` dropped". */
export function toKey(path: string): string {
  return path.replace(/^\//, '');
}

/** The files of a session. */
export interface FileStore {
  get(key: string): StoredFile | undefined;
  has(key: string): boolean;
  /** Keys and files in the order of writing. */
  list(): Iterable<readonly [key: string, file: StoredFile]>;
  delete(key: string): boolean;
  /** Copies or moves a file, replacing the target; returns false if the copy does not fit. */
  copy(source: string, destination: string, options: { move: boolean }): boolean;
  draft(): Draft;
  /** Deletes every file. */
  clear(): void;
  /** Releases the space when the session is dropped; files on disk are kept. */
  release(): void;
}

/** Bytes that are being written. */
interface ContentDraft {
  append(chunk: Buffer): void;
  finish(): Content;
  discard(): void;
}

/** Stores the bytes and the metadata of files. */
export interface Contents {
  draft(): ContentDraft;
  /** Returns the same bytes for another file. */
  copy(content: Content): Content;
  /** Existing files, by key. */
  load(): Iterable<readonly [key: string, file: StoredFile]>;
  /** Stores a file under a key; `old` is the file that it replaces. */
  save(key: string, file: StoredFile, old: StoredFile | undefined): void;
  remove(key: string, file: StoredFile): void;
}

/** Storage space that all sessions of a mock share. */
export interface Room {
  /** Returns whether this many more bytes fit. */
  has(bytes: number): boolean;
  take(bytes: number): void;
  give(bytes: number): void;
}

interface FileStoreOptions {
  /** Where the bytes are stored. */
  readonly contents: Contents;
  /** Space shared by all sessions. */
  readonly room: Room;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Overhead of a file besides its bytes and its key, so that empty files are not free. */
const ENTRY_BYTES = 512;

/** Creates a session's file store. Its files and drafts never exceed the available space. */
export function createFileStore({ contents, room, now }: FileStoreOptions): FileStore {
  const files = new Map<string, StoredFile>(contents.load());
  let open = true;

  const costOf = (key: string, size: number | undefined) =>
    size === undefined ? 0 : ENTRY_BYTES + Buffer.byteLength(key) + size;
  const costAt = (key: string) => costOf(key, files.get(key)?.size);
  room.take([...files.keys()].reduce((sum, key) => sum + costAt(key), 0));

  function remove(key: string): boolean {
    const file = files.get(key);
    if (file === undefined) return false;
    room.give(costAt(key));
    files.delete(key);
    contents.remove(key, file);
    return true;
  }

  /** @param freed space to release once the file is visible */
  function put(key: string, file: StoredFile, freed: number): boolean {
    const more = costOf(key, file.size) - costAt(key) - freed;
    if (!open || !room.has(more)) return false;
    const old = files.get(key);
    contents.save(key, file, old);
    room.take(more);
    files.delete(key);
    files.set(key, file);
    return true;
  }

  return {
    get: (key) => files.get(key),
    has: (key) => files.has(key),
    list: () => files,
    delete: remove,
    copy(source, destination, { move }) {
      const file = files.get(source);
      if (
        file === undefined ||
        !room.has(
          costOf(destination, file.size) - costAt(destination) - (move ? costAt(source) : 0),
        )
      )
        return false;
      const copy = { ...file, content: contents.copy(file.content) };
      put(destination, copy, move ? costAt(source) : 0);
      if (move) {
        files.delete(source);
        contents.remove(source, file);
      }
      return true;
    },
    draft() {
      const content = contents.draft();
      const hash = createHash('md5');
      let reserved = 0;
      let isOver = false;
      const discard = () => {
        if (isOver) return;
        isOver = true;
        room.give(reserved);
        content.discard();
      };
      return {
        discard,
        append(chunk) {
          if (isOver || !room.has(chunk.length)) return false;
          room.take(chunk.length);
          reserved += chunk.length;
          hash.update(chunk);
          content.append(chunk);
          return true;
        },
        commit(key, contentType, modified = new Date(now())) {
          if (isOver) return undefined;
          const etag = `"${hash.digest('hex')}"`;
          const file = { size: reserved, contentType, etag, modified, content: content.finish() };
          if (!put(key, file, reserved)) {
            discard();
            return undefined;
          }
          // The file now owns the reserved space.
          isOver = true;
          return file;
        },
      };
    },
    clear() {
      for (const key of [...files.keys()]) remove(key);
    },
    release() {
      open = false;
      room.give([...files.keys()].reduce((sum, key) => sum + costAt(key), 0));
      files.clear();
    },
  };
}

const BLOCK_BYTES = 65_536;

/** Bytes that arrive in chunks. */
interface Collected {
  append(chunk: Buffer): void;
  /** Returns all bytes in one buffer. */
  join(): Buffer;
}

/** Stores file contents in memory. */
export const memoryContents: Contents = {
  draft() {
    let collected = collectBytes();
    return {
      append: (chunk) => collected.append(chunk),
      finish: () => toContent(collected.join()),
      discard() {
        collected = collectBytes();
      },
    };
  },
  copy: (content) => content,
  load: () => [],
  save() {},
  remove() {},
};

function toContent(bytes: Buffer): Content {
  return { bytes: () => bytes, read: (start, end) => bytes.subarray(start, end + 1) };
}

/**
 * Collects chunks by copying them into blocks. Keeping small chunks would use many times their size in
 * memory, because each is a view that keeps its entire buffer alive.
 */
export function collectBytes(): Collected {
  const blocks: Buffer[] = [];
  let size = 0;
  return {
    append(chunk) {
      for (let from = 0; from < chunk.length; ) {
        const start = size % BLOCK_BYTES;
        if (start === 0) blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
        const copied = chunk.copy(blocks.at(-1) as Buffer, start, from);
        from += copied;
        size += copied;
      }
    },
    join: () => Buffer.concat(blocks, size),
  };
}

/**
 * Creates the space that the sessions of a mock share.
 *
 * @param maxBytes limit for all files together, including drafts
 */
export function createRoom(maxBytes: number): Room {
  let used = 0;
  return {
    has: (bytes) => used + bytes <= maxBytes,
    take(bytes) {
      used += bytes;
    },
    give(bytes) {
      used -= bytes;
    },
  };
}
