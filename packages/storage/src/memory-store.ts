import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type BlobStore,
  FileTooLargeError,
} from './blob-store.ts';

interface MemoryFile {
  readonly info: BlobInfo;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A store in memory, whose files a test can also read and write directly. */
export interface MemoryStore extends BlobStore {
  /** Stores a file, replacing any file with this key. @throws FileTooLargeError if it does not fit */
  put(key: BlobKey, bytes: Uint8Array, contentType: string): BlobInfo;
  /** Returns a file, or `undefined` if it does not exist. Its bytes must not be changed. */
  get(key: BlobKey): MemoryFile | undefined;
  /** Returns the keys and metadata of all files, in the order in which their keys were first written. */
  list(): { readonly key: BlobKey; readonly info: BlobInfo }[];
  /** Removes all files. */
  clear(): void;
}

const FULL =
  'The file does not fit in memory: send a smaller one, delete other files, or raise the limit.';

/** Overhead per file, so that empty files also count towards `maxBytes`. */
const FILE_BYTES = 512;

/**
 * Creates a store for tests and demos that keeps files in memory.
 *
 * @param maxBytes maximum total size of the files, including those that are being written. Default: no limit.
 * @example
 * const { storage, upload, download } = createStorage({ blobs: createMemoryStore(), ...options });
 */
export function createMemoryStore({ maxBytes = Infinity } = {}): MemoryStore {
  const files = new Map<string, MemoryFile & { readonly key: BlobKey }>();
  const nameOf = ({ env, path }: BlobKey) => JSON.stringify([env, path]);
  let used = 0;

  /** Counts bytes that are stored, or released if negative. */
  const reserve = (bytes: number) => {
    if (used + bytes > maxBytes) throw new FileTooLargeError(FULL);
    used += bytes;
  };
  const remove = (name: string) => {
    const file = files.get(name);
    if (file === undefined) return false;
    used -= FILE_BYTES + file.info.size;
    return files.delete(name);
  };
  /** Adds a file, and removes the one that it replaces. The old one stays if the new one does not fit. */
  const add = (key: BlobKey, file: MemoryFile) => {
    const name = nameOf(key);
    const replaced = files.get(name);
    reserve(FILE_BYTES + file.info.size - (replaced ? FILE_BYTES + replaced.info.size : 0));
    files.set(name, { ...file, key: { env: key.env, path: key.path } });
    return file.info;
  };
  const toFile = (bytes: MemoryFile['bytes'], contentType: string) => ({
    info: { size: bytes.length, etag: crypto.randomUUID(), contentType },
    bytes,
  });

  return {
    put: (key, bytes, contentType) => add(key, toFile(new Uint8Array(bytes), contentType)),
    get: (key) => files.get(nameOf(key)),
    list: () => [...files.values()].map(({ key, info }) => ({ key, info })),
    clear() {
      for (const name of files.keys()) remove(name);
    },
    async write(key, content, { contentType, signal }) {
      const chunks: Uint8Array[] = [];
      let received = 0;
      let bytes: MemoryFile['bytes'];
      try {
        for await (const chunk of content) {
          reserve(chunk.length);
          received += chunk.length;
          chunks.push(chunk);
        }
        const blob = new Blob(chunks as MemoryFile['bytes'][]);
        bytes = new Uint8Array(await blob.arrayBuffer());
        signal?.throwIfAborted();
      } finally {
        used -= received;
      }
      return add(key, toFile(bytes, contentType));
    },
    stat: async (key) => files.get(nameOf(key))?.info,
    async open(key) {
      const file = files.get(nameOf(key));
      return (
        file && {
          info: file.info,
          read: ({ start, end } = { start: 0, end: file.bytes.length - 1 }) =>
            file.bytes.subarray(start, end + 1),
          close: async () => {},
        }
      );
    },
    async copy(from, to, { overwrite, move }) {
      const file = files.get(nameOf(from));
      if (file === undefined) throw new BlobMissingError(from);
      if (!overwrite && files.has(nameOf(to))) throw new BlobExistsError(to);
      if (move) remove(nameOf(from));
      return add(to, file);
    },
    delete: async (key) => remove(nameOf(key)),
  };
}
