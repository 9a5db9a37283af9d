/** A stored file. */
export interface MswFile {
  /** Content of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the content. */
  readonly contentType: string;
  /** Strong ETag, which is different each time a file is stored. */
  readonly etag: string;
  /** Decodes the content as UTF-8 text. */
  text(): string;
}

/**
 * Options for storing a file in a test.
 *
 * @example
 * berth.files.put('a.html', '<p>Hello', { contentType: 'text/html' });
 */
export interface FileOptions {
  /** Media type. Default: `application/octet-stream`. */
  readonly contentType?: string | undefined;
}

/**
 * The files that the handlers keep in memory. A test can store files before it calls the application, and
 * inspect them afterwards. Paths may have one leading `/`.
 *
 * @example
 * const fileID = berth.files.put('reports/a.txt', 'Hello', { contentType: 'text/plain' });
 * await app.rename('reports/a.txt', 'b.txt');
 * expect(berth.files.paths()).toEqual(['reports/b.txt']);
 * expect(berth.files.get('reports/b.txt')?.text()).toBe('Hello');
 */
export interface MswFiles {
  /** Stores a file and returns its ID. */
  put(path: string, content: string | Uint8Array, options?: FileOptions): string;
  /** Returns the file at a path, or `undefined` if it does not exist. */
  get(path: string): MswFile | undefined;
  /** Returns the paths of all files, without a leading `/`, in the order in which they were stored. */
  paths(): string[];
  /** Removes all files. Call it after each test. */
  clear(): void;
}

/** Converts a path to a key by dropping one leading `/` (D24). */
export function toKey(path: string): string {
  return path.replace(/^\//, '');
}

/** Creates an empty store for the files of one environment, by key. */
export function createFileStore(envId: string) {
  const files = new Map<string, MswFile>();
  let revision = 0;
  // `cloud://<envId>.<bucket>/<path>`, with an unencoded path (D23).
  const prefix = `cloud://${envId}.files/`;
  const toFileID = (key: string) => prefix + key;
  const store = (key: string, given: Uint8Array, contentType: string): MswFile => {
    const bytes = new Uint8Array(given);
    revision += 1;
    const etag = `"${revision}"`;
    const file = { bytes, contentType, etag, text: () => new TextDecoder().decode(bytes) };
    files.set(key, file);
    return file;
  };
  /** The view of tests, with paths instead of keys. */
  const forTests: MswFiles = {
    put(path, content, { contentType = 'application/octet-stream' } = {}) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      store(toKey(path), bytes, contentType);
      return toFileID(toKey(path));
    },
    get: (path) => files.get(toKey(path)),
    paths: () => [...files.keys()],
    clear: () => files.clear(),
  };
  return {
    files,
    forTests,
    store,
    toFileID,
    /** Returns the key for a file ID, or `undefined` if the ID is invalid or from another environment. */
    toKeyOf: (fileID: string) =>
      fileID.startsWith(prefix) ? fileID.slice(prefix.length) : undefined,
  };
}
