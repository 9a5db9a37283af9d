import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type BlobStore,
} from '@berth/server-stubs/engine';

/** The header of a cached file that has its metadata. */
const INFO = 'x-info';

/**
 * Creates a file store in the browser's cache. Memory is not enough: browsers end a worker that has had nothing to do
 * for some seconds, and its variables with it.
 */
export function createCacheStore(name: string): BlobStore {
  const cache = caches.open(name);
  let last: Promise<unknown> = Promise.resolve();
  /** Runs changes one after the other, so that none comes between another's check and its write. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const find = async (key: BlobKey) => (await cache).match(toUrl(key));
  const save = async (key: BlobKey, info: BlobInfo, body: Blob) => {
    const headers = { [INFO]: encodeURIComponent(JSON.stringify(info)) };
    await (await cache).put(toUrl(key), new Response(body, { headers }));
    return info;
  };
  const remove = async (key: BlobKey) => (await cache).delete(toUrl(key));
  return {
    async write(key, content, { contentType }) {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of content) chunks.push(new Uint8Array(chunk));
      const body = new Blob(chunks);
      const info = { size: body.size, etag: crypto.randomUUID(), contentType };
      return inTurn(() => save(key, info, body));
    },
    stat: async (key) => infoOf(await find(key)),
    async open(key) {
      const file = await find(key);
      const info = infoOf(file);
      if (file === undefined || info === undefined) return undefined;
      const bytes = new Uint8Array(await file.arrayBuffer());
      return {
        info,
        read: ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
          bytes.subarray(start, end + 1),
        close: async () => {},
      };
    },
    copy: (from, to, { overwrite, move }) =>
      inTurn(async () => {
        const file = await find(from);
        const info = infoOf(file);
        if (file === undefined || info === undefined) throw new BlobMissingError(from);
        if (!overwrite && (await find(to))) throw new BlobExistsError(to);
        await save(to, info, await file.blob());
        if (move) await remove(from);
        return info;
      }),
    delete: (key) => inTurn(() => remove(key)),
  };
}

function toUrl({ env, path }: BlobKey): string {
  return `${encodeURIComponent(env)}/${encodeURIComponent(path)}`;
}

function infoOf(file: Response | undefined): BlobInfo | undefined {
  return file && JSON.parse(decodeURIComponent(file.headers.get(INFO) ?? ''));
}
