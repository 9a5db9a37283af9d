/** The files of a session, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import { type BlobInfo, type MemoryStore, parseFilePath, toFileID } from '@berth/storage';
import { BUCKET } from '../surface.ts';
import { FieldError } from '../user-input.ts';

/** A stored file: its size in bytes, and its ETag without quotes. */
export type SessionFile = { readonly path: string } & Pick<
  BlobInfo,
  'size' | 'contentType' | 'etag'
>;

/** The files of a session, for tests. Paths may have one leading `/`. */
export type SessionFiles = ReturnType<typeof createSessionFiles>;

export function createSessionFiles(store: MemoryStore, env: string) {
  return {
    list: (): readonly SessionFile[] =>
      store.list().map(({ key, info }) => ({ path: key.path, ...info })),
    /** Returns the content of a file; undefined if it does not exist. */
    get: (path: string): Uint8Array<ArrayBuffer> | undefined => store.get(toKey(env, path))?.bytes,
    /**
     * Stores a file, as an upload would, and returns its file ID.
     *
     * @param contentType default `application/octet-stream`
     * @throws FieldError that names an invalid argument, or FileTooLargeError
     */
    put(
      path: string,
      content: Uint8Array | string,
      contentType = 'application/octet-stream',
    ): string {
      // jsdom has its own Uint8Array.
      const type = Object.prototype.toString.call(content);
      if (type !== '[object String]' && type !== '[object Uint8Array]') {
        throw new FieldError('content', 'must be a string or a Uint8Array.');
      }
      if (!/^[\x20-\x7e]+$/.test(contentType)) {
        throw new FieldError('contentType', 'must be a media type, such as text/plain.');
      }
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      const key = toKey(env, path);
      store.put(key, bytes, contentType);
      return toFileID(env, BUCKET, key.path);
    },
  };
}

/** @throws FieldError if the contract does not allow the path */
export function toKey(env: string, input: string) {
  const { path, reason } = parseFilePath(input);
  if (path === undefined) throw new FieldError('path', reason);
  return { env, path };
}
