import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type BlobStore,
} from './blob-store.ts';

interface MemoryFile {
  readonly info: BlobInfo;
  readonly bytes: Uint8Array;
}

/**
 * Creates a store for tests and demos that keeps files in memory, without a limit.
 *
 * @example
 * const { storage, upload, download } = createStorage({ blobs: createMemoryStore(), ...options });
 */
export function createMemoryStore(): BlobStore {
  const files = new Map<string, MemoryFile>();
  const nameOf = ({ env, path }: BlobKey) => `${env}/${path}`;
  return {
    async write(key, content, { contentType, signal }) {
      const bytes = await collect(content);
      signal?.throwIfAborted();
      const info = { size: bytes.length, etag: crypto.randomUUID(), contentType };
      files.set(nameOf(key), { info, bytes });
      return info;
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
      files.set(nameOf(to), file);
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
