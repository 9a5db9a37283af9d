import type { Call, UploadInput, UploadResult } from '@berth/server-stubs';
import { LIMITS, UploadError } from '@berth/server-stubs/contract';
import type { BlobStore } from './blob-store.ts';
import type { StorageContext } from './context.ts';
import { parseFilePath } from './paths.ts';
import { toStoreFault, toUploadError } from './store-errors.ts';

/** An upload with its content as any stream of bytes, not only one of Node.js. */
export type FormUpload = Omit<UploadInput, 'file'> & { readonly file: AsyncIterable<Uint8Array> };

/** Handles a form: writes the one file that its grant allows. @throws UploadError */
export type UploadFile = (
  form: FormUpload,
  call: Pick<Call, 'request' | 'requestId' | 'signal'>,
) => Promise<UploadResult>;

/** Creates the second step of an upload (D27, D30). */
export function createUploadFile(context: StorageContext): UploadFile {
  const { blobs, grants, links, bucketOf, publicUrl, authorizeUse, onChange, onError } = context;
  const mismatch = () => {
    const message =
      'The form does not match its grant: send the path, and each value as getUploadMetaData returned it.';
    return new UploadError('SignatureDoesNotMatch', { message });
  };
  return async (
    { key, signature, token, metaFileId: storeFileID, file, contentType },
    { request, requestId, signal },
  ) => {
    // D24: "the form field `key` may include or omit" the leading `/`.
    const { path } = parseFilePath(key);
    if (path === undefined) throw mismatch();
    const granted = await grants.check(path, { token, authorization: signature, storeFileID });
    if (granted === 'mismatch') throw mismatch();
    if (granted === 'expired' || bucketOf(granted.env) !== granted.bucket) {
      const message = 'The grant is no longer valid: request a new one with getUploadMetaData.';
      throw new UploadError('AccessDenied', { message });
    }
    const { env, caller } = granted;
    const options = { contentType: toContentType(contentType), signal };
    const releaseSlot = acquireSlot(blobs, storeFileID);
    try {
      await authorizeUse?.({ kind: 'grant', id: storeFileID, env, caller }, request);
      const { etag, size } = await blobs.write({ env, path }, file, options);
      onChange({ action: 'upload', env, path, caller, bytes: size, requestId });
      const location = `${publicUrl(request)}${links.toPath(granted)}`;
      return { etag, location, bucket: granted.bucket };
    } catch (error) {
      // The router converts and reports other errors, because only it knows those of the form.
      if (toStoreFault(error).origin === 'unknown') throw error;
      throw toUploadError(error, requestId, onError);
    } finally {
      releaseSlot();
    }
  };
}

/** Uploads in progress, by grant. Counted for each store, because a reload creates a new application for it. */
const uploadsOfStores = new WeakMap<BlobStore, Map<string, number>>();

/** Counts an upload until the function that it returns is called. */
function acquireSlot(blobs: BlobStore, grant: string): () => void {
  const uploads = uploadsOfStores.get(blobs) ?? new Map<string, number>();
  uploadsOfStores.set(blobs, uploads);
  const count = uploads.get(grant) ?? 0;
  if (count >= LIMITS.grantUploads) throw new UploadError('SlowDown');
  uploads.set(grant, count + 1);
  return () => {
    const left = (uploads.get(grant) ?? 1) - 1;
    if (left > 0) uploads.set(grant, left);
    else uploads.delete(grant);
  };
}

/** Returns a media type that every header and store can hold, or else the default. */
function toContentType(text: string): string {
  const isValid = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; charset=[\w!#$%&'*+.^`|~-]+)?$/.test(text);
  return isValid ? text : 'application/octet-stream';
}
