import { createHash } from 'node:crypto';
import { collectBytes } from './collect-bytes.ts';

export interface StoredFile {
  bytes: Buffer;
  contentType: string;
  /** D27: "quoted MD5 `ETag`". */
  etag: string;
  modified: Date;
}

/** A file that is being written; nobody sees it before it is whole (D28). */
export interface Draft {
  /** Adds bytes; false where the store has no room for them, or the draft was discarded. */
  append(chunk: Buffer): boolean;
  /** Makes the file visible under a key, in place of an older one; undefined where it does not fit. */
  commit(key: string, contentType: string): StoredFile | undefined;
  /** Gives the room back. */
  discard(): void;
}

/** Files in memory, together never larger than a limit. */
export interface FileStore {
  get(key: string): StoredFile | undefined;
  has(key: string): boolean;
  delete(key: string): boolean;
  /** Copies or moves a file over what is there; false where the copy does not fit. */
  copy(source: string, destination: string, options: { move: boolean }): boolean;
  draft(): Draft;
}

/** What a file costs beside its bytes and its key, so that empty files do not come for free. */
const ENTRY_BYTES = 512;

/** @param maxBytes room for all files together, with the drafts */
export function createFileStore(maxBytes: number): FileStore {
  const files = new Map<string, StoredFile>();
  let used = 0;

  const costOf = (key: string, size: number | undefined) =>
    size === undefined ? 0 : ENTRY_BYTES + Buffer.byteLength(key) + size;
  const costAt = (key: string) => costOf(key, files.get(key)?.bytes.length);

  function put(key: string, file: StoredFile, freed: number): boolean {
    const after = used - freed - costAt(key) + costOf(key, file.bytes.length);
    if (after > maxBytes) return false;
    used = after;
    files.set(key, file);
    return true;
  }

  return {
    get: (key) => files.get(key),
    has: (key) => files.has(key),
    delete(key) {
      used -= costAt(key);
      return files.delete(key);
    },
    copy(source, destination, { move }) {
      const file = files.get(source);
      if (!file || !put(destination, file, move ? costAt(source) : 0)) return false;
      if (move) files.delete(source);
      return true;
    },
    draft() {
      let content = collectBytes();
      const hash = createHash('md5');
      let reserved = 0;
      let discarded = false;
      const discard = () => {
        used -= reserved;
        reserved = 0;
        content = collectBytes();
        discarded = true;
      };
      return {
        discard,
        append(chunk) {
          if (discarded || used + chunk.length > maxBytes) return false;
          used += chunk.length;
          reserved += chunk.length;
          hash.update(chunk);
          content.append(chunk);
          return true;
        },
        commit(key, contentType) {
          const bytes = content.join();
          const etag = `"${hash.digest('hex')}"`;
          const file = { bytes, contentType, etag, modified: new Date() };
          const fits = put(key, file, reserved);
          // The room that was reserved now counts as the file's own.
          if (fits) reserved = 0;
          else discard();
          return fits ? file : undefined;
        },
      };
    },
  };
}
