import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type BlobStore,
} from './blob-store.ts';

interface MemoryFile {
  readonly info: BlobInfo;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A store in memory, whose files a test can also read and write directly. */
export interface MemoryStore extends BlobStore {
  /** Stores a file, replacing any file with this key. */
  put(key: BlobKey, bytes: Uint8Array, contentType: string): BlobInfo;
  /** Returns a file, or `undefined` if it does not exist. Its bytes must not be changed. */
  get(key: BlobKey): MemoryFile | undefined;
  /** Returns the keys and metadata of all files, in the order in which their keys were first written. */
  list(): { readonly key: BlobKey; readonly info: BlobInfo }[];
  /** Removes all files. */
  clear(): void;
}

/**
 * Creates a store for tests and demos that keeps files in memory, without a limit.
 *
 * @example
 * const { storage, upload, download } = createStorage({ blobs: createMemoryStore(), ...options });
 */
export function createMemoryStore(): MemoryStore {
  const files = new Map<string, MemoryFile & { readonly key: BlobKey }>();
  const nameOf = ({ env, path }: BlobKey) => `${env}/${path}`;
  const put = ({ env, path }: BlobKey, content: Uint8Array, contentType: string) => {
    const bytes = new Uint8Array(content);
    const info = { size: bytes.length, etag: crypto.randomUUID(), contentType };
    files.set(nameOf({ env, path }), { key: { env, path }, info, bytes });
    return info;
  };
  return {
    put,
    get: (key) => files.get(nameOf(key)),
    list: () => [...files.values()].map(({ key, info }) => ({ key, info })),
    clear: () => files.clear(),
    async write(key, content, { contentType, signal }) {
      const bytes = await collect(content);
      signal?.throwIfAborted();
      return put(key, bytes, contentType);
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
      files.set(nameOf(to), { ...file, key: to });
      if (move) files.delete(nameOf(from));
      return file.info;
    },
    delete: async (key) => files.delete(nameOf(key)),
  };
}

async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}
