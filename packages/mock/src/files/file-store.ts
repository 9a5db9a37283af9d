import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { UploadError } from '@berth/server-stubs';
import {
  BlobExistsError,
  type BlobInfo,
  BlobMissingError,
  type BlobStore,
  StoreFullError,
} from '@berth/server-stubs/engine';
import { FolderError } from '../util/folders.ts';

/** The bytes of one file. Immutable. */
export interface Content {
  bytes(): Buffer;
  /** Returns the bytes from `start` to `end`, both inclusive. */
  read(start: number, end: number): Buffer | Readable;
}

export interface StoredFile {
  readonly size: number;
  readonly contentType: string;
  /** The quoted MD5. D27: "HTTP allows any strong validator". */
  readonly etag: string;
  /** By the session's clock. */
  readonly modified: Date;
  readonly content: Content;
}

export const BUCKET = 'files';

/** Converts a path to a key. D24: "One leading `/` of an upload path is dropped". */
export function toKey(path: string): string {
  return path.replace(/^\//, '');
}

export interface Contents {
  draft(): { append(chunk: Buffer): void; finish(): Content; discard(): void };
  /** Returns the same bytes for another file. */
  copy(content: Content): Content;
  load(): Iterable<readonly [key: string, file: StoredFile]>;
  /** Stores a file under a key; `old` is the file that it replaces. */
  save(key: string, file: StoredFile, old: StoredFile | undefined): void;
  remove(key: string, file: StoredFile): void;
}

/** Storage space that all sessions of a mock share, drafts included. */
export interface Room {
  /** Free bytes. */
  left: number;
}

/** A file that is being written; not visible until it is complete (D28). */
export type Draft = ReturnType<FileStore['draft']>;

/** Overhead of a file besides its bytes and its key, so that empty files are not free. */
const ENTRY_BYTES = 512;

/** The files of a session. Files and drafts never exceed the available space. */
export class FileStore {
  readonly #contents: Contents;
  readonly #room: Room;
  readonly #now: () => number;
  readonly #files: Map<string, StoredFile>;
  #isOpen = true;

  /**
   * @param contents where the bytes are stored
   * @param room space shared by all sessions
   * @param now milliseconds since the epoch
   */
  constructor(contents: Contents, room: Room, now: () => number) {
    this.#contents = contents;
    this.#room = room;
    this.#now = now;
    this.#files = new Map(contents.load());
    room.left -= this.#size;
  }

  get(key: string): StoredFile | undefined {
    return this.#files.get(key);
  }

  /** Keys and files in the order of writing. */
  list(): Iterable<readonly [key: string, file: StoredFile]> {
    return this.#files;
  }

  delete(key: string): boolean {
    const file = this.#files.get(key);
    if (file === undefined) return false;
    this.#room.left += this.#costAt(key);
    this.#files.delete(key);
    this.#contents.remove(key, file);
    return true;
  }

  /** Copies or moves a file, replacing the target; returns false if the copy does not fit. */
  copy(source: string, destination: string, { move }: { move: boolean }): boolean {
    const file = this.#files.get(source);
    const freed = move ? this.#costAt(source) : 0;
    if (file === undefined || !this.#fits(destination, file.size, freed)) return false;
    this.#put(destination, { ...file, content: this.#contents.copy(file.content) }, freed);
    if (move) {
      this.#files.delete(source);
      this.#contents.remove(source, file);
    }
    return true;
  }

  draft() {
    const content = this.#contents.draft();
    const hash = createHash('md5');
    let reserved = 0;
    let isOver = false;
    /** Releases the reserved space. */
    const discard = () => {
      if (isOver) return;
      isOver = true;
      this.#room.left += reserved;
      content.discard();
    };
    /** Appends bytes; returns false if the store is full or the draft was discarded. */
    const append = (chunk: Buffer): boolean => {
      if (isOver || chunk.length > this.#room.left) return false;
      this.#room.left -= chunk.length;
      reserved += chunk.length;
      hash.update(chunk);
      content.append(chunk);
      return true;
    };
    /** Makes the file visible under a key, replacing any older one; returns undefined if it does not fit. */
    const commit = (
      key: string,
      contentType: string,
      modified = new Date(this.#now()),
    ): StoredFile | undefined => {
      if (isOver) return undefined;
      const etag = `"${hash.digest('hex')}"`;
      const file = { size: reserved, contentType, etag, modified, content: content.finish() };
      if (!this.#isOpen || !this.#fits(key, reserved, reserved)) {
        discard();
        return undefined;
      }
      this.#put(key, file, reserved);
      // The file now owns the reserved space.
      isOver = true;
      return file;
    };
    return { append, commit, discard };
  }

  clear(): void {
    for (const key of [...this.#files.keys()]) this.delete(key);
  }

  /** Releases the space when the session is dropped; files on disk are kept. */
  release(): void {
    this.#isOpen = false;
    this.#room.left += this.#size;
    this.#files.clear();
  }

  get #size(): number {
    return [...this.#files.keys()].reduce((sum, key) => sum + this.#costAt(key), 0);
  }

  #costAt(key: string): number {
    const file = this.#files.get(key);
    return file === undefined ? 0 : costOf(key, file.size);
  }

  /** @param freed space that becomes free once the file is visible */
  #fits(key: string, size: number, freed: number): boolean {
    return costOf(key, size) - this.#costAt(key) - freed <= this.#room.left;
  }

  #put(key: string, file: StoredFile, freed: number): void {
    const more = costOf(key, file.size) - this.#costAt(key) - freed;
    this.#contents.save(key, file, this.#files.get(key));
    this.#room.left -= more;
    this.#files.delete(key);
    this.#files.set(key, file);
  }
}

function costOf(key: string, size: number): number {
  return ENTRY_BYTES + Buffer.byteLength(key) + size;
}

export const memoryContents: Contents = {
  draft() {
    const chunks: Buffer[] = [];
    return {
      // A chunk may be part of a larger buffer, which it would keep alive.
      append: (chunk) => chunks.push(Buffer.from(chunk)),
      finish() {
        const bytes = Buffer.concat(chunks);
        return { bytes: () => bytes, read: (start, end) => bytes.subarray(start, end + 1) };
      },
      discard: () => chunks.splice(0),
    };
  },
  copy: (content) => content,
  load: () => [],
  save() {},
  remove() {},
};

/** Adapts a session's files to the storage API. */
export function toBlobStore(files: FileStore): BlobStore {
  return {
    async write({ path }, content, { contentType }) {
      const draft = openDraft(files);
      try {
        for await (const chunk of content) if (!draft.append(toBuffer(chunk))) throw tooLarge();
        const file = draft.commit(path, contentType);
        if (file === undefined) throw tooLarge();
        return toInfo(file);
      } finally {
        draft.discard();
      }
    },
    async stat({ path }) {
      const file = files.get(path);
      return file && toInfo(file);
    },
    async open({ path }) {
      const file = files.get(path);
      return (
        file && {
          info: toInfo(file),
          read: ({ start, end } = { start: 0, end: file.size - 1 }) =>
            file.content.read(start, end),
          close: async () => {},
        }
      );
    },
    async copy(from, to, { overwrite, move = false }) {
      const file = files.get(from.path);
      if (file === undefined) throw new BlobMissingError(from);
      if (!overwrite && files.get(to.path) !== undefined) throw new BlobExistsError(to);
      if (!files.copy(from.path, to.path, { move })) {
        throw new StoreFullError(
          "The copy does not fit in the mock's storage: delete files, or raise maxStoreBytes.",
        );
      }
      return toInfo(file);
    },
    delete: async ({ path }) => files.delete(path),
  };
}

function toInfo({ size, contentType, etag, modified }: StoredFile): BlobInfo {
  return { size, contentType, etag: etag.slice(1, -1), modified };
}

function openDraft(files: FileStore): Draft {
  try {
    return files.draft();
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UploadError('InternalError', { message: error.message });
  }
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

function tooLarge(): StoreFullError {
  return new StoreFullError(
    "The file does not fit in the mock's storage: send a smaller one, delete other files, or raise maxStoreBytes.",
  );
}
