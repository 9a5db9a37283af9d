import { createHash } from 'node:crypto';
import {
  BlobExistsError,
  type BlobInfo,
  BlobMissingError,
  type BlobStore,
  StoreFullError,
} from '@berth/storage';

export interface StoredFile {
  readonly size: number;
  readonly contentType: string;
  /** The quoted MD5. D27: "HTTP allows any strong validator". */
  readonly etag: string;
  /** By the session's clock. */
  readonly modified: Date;
  /** Never changed, so that copies can share it. */
  readonly content: Buffer;
}

/** Storage space that all sessions of a mock share, drafts included. */
export interface Room {
  /** Free bytes. */
  left: number;
}

/** Overhead of a file besides its bytes and its key, so that empty files are not free. */
const ENTRY_BYTES = 512;

/** The files of a session. Files and drafts never exceed the available space. */
export class FileStore {
  readonly #room: Room;
  readonly #now: () => number;
  readonly #files = new Map<string, StoredFile>();
  #isOpen = true;

  /**
   * @param room space shared by all sessions
   * @param now milliseconds since the epoch
   */
  constructor(room: Room, now: () => number) {
    this.#room = room;
    this.#now = now;
  }

  get(key: string): StoredFile | undefined {
    return this.#files.get(key);
  }

  /** Keys and files in the order of writing. */
  list(): Iterable<readonly [key: string, file: StoredFile]> {
    return this.#files;
  }

  delete(key: string): boolean {
    this.#room.left += this.#costAt(key);
    return this.#files.delete(key);
  }

  /** Copies or moves a file, replacing the target; returns false if the copy does not fit. */
  copy(source: string, destination: string, { move }: { move: boolean }): boolean {
    const file = this.#files.get(source);
    const freed = move ? this.#costAt(source) : 0;
    if (file === undefined || !this.#fits(destination, file.size, freed)) return false;
    this.#put(destination, file, freed);
    if (move) this.#files.delete(source);
    return true;
  }

  /** Creates a file that is being written; not visible until it is complete (D28). */
  draft() {
    const chunks: Buffer[] = [];
    const hash = createHash('md5');
    let reserved = 0;
    let isOver = false;
    /** Releases the reserved space. */
    const discard = () => {
      if (isOver) return;
      isOver = true;
      this.#room.left += reserved;
      chunks.length = 0;
    };
    /** Appends bytes; returns false if the store is full or the draft was discarded. */
    const append = (chunk: Uint8Array): boolean => {
      if (isOver || chunk.length > this.#room.left) return false;
      this.#room.left -= chunk.length;
      reserved += chunk.length;
      hash.update(chunk);
      // A chunk may be part of a larger buffer, which it would keep alive.
      chunks.push(Buffer.from(chunk));
      return true;
    };
    /** Makes the file visible under a key, replacing any older one; returns undefined if it does not fit. */
    const commit = (key: string, contentType: string): StoredFile | undefined => {
      if (isOver) return undefined;
      if (!this.#isOpen || !this.#fits(key, reserved, reserved)) {
        discard();
        return undefined;
      }
      const file = {
        size: reserved,
        contentType,
        etag: `"${hash.digest('hex')}"`,
        modified: new Date(this.#now()),
        content: Buffer.concat(chunks),
      };
      this.#put(key, file, reserved);
      // The file now owns the reserved space.
      isOver = true;
      return file;
    };
    return { append, commit, discard };
  }

  clear(): void {
    this.#room.left += this.#size;
    this.#files.clear();
  }

  /** Releases the space when the session is dropped. */
  release(): void {
    this.#isOpen = false;
    this.clear();
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
    this.#room.left -= costOf(key, file.size) - this.#costAt(key) - freed;
    this.#files.delete(key);
    this.#files.set(key, file);
  }
}

function costOf(key: string, size: number): number {
  return ENTRY_BYTES + Buffer.byteLength(key) + size;
}

/** Adapts a session's files to the storage API. */
export function toBlobStore(files: FileStore): BlobStore {
  return {
    async write({ path }, content, { contentType }) {
      const draft = files.draft();
      try {
        for await (const chunk of content) if (!draft.append(chunk)) throw tooLarge();
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
            file.content.subarray(start, end + 1),
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

function tooLarge(): StoreFullError {
  return new StoreFullError(
    "The file does not fit in the mock's storage: send a smaller one, delete other files, or raise maxStoreBytes.",
  );
}
