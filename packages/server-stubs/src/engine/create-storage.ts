import type { StorageHandlers } from '../storage/storage-handlers.ts';
import type { UploadHandlers } from '../upload/upload-handlers.ts';
import { createDownload, type Download, type DownloadRequest } from './download.ts';
import { createOperations } from './operations.ts';
import type { Grants } from './signing.ts';
import { type StorageCaller, type StorageOptions, toContext } from './storage-context.ts';
import { createUploadFile } from './upload-file.ts';

/** The storage API over a file store, in three parts. */
export interface Storage {
  /** For `createStorageRouter`. */
  readonly storage: Required<StorageHandlers<StorageCaller>>;
  /** For `createUploadRouter`, to be mounted at the path of `uploadTarget`. */
  readonly upload: Required<UploadHandlers>;
  /** Issues grants for forms that are not created by `getUploadMetaData`. */
  readonly grants: Grants;
  /**
   * Returns the response to a request for a link, whose path begins with `/files/`.
   *
   * @throws UploadError
   */
  download(request: DownloadRequest): Promise<Download>;
}

/**
 * Creates the storage API over a file store. It is stateless: grants and links are signed and carry all
 * they need, so servers with the same store and the same keys can replace each other.
 *
 * @example
 * const { storage, upload, download } = createStorage({
 *   blobs: createMemoryStore(),
 *   signer: createSigner([readFileSync('link.key')]),
 *   bucketOf: (env) => (env === 'dev' ? 'files' : undefined),
 *   publicUrl: 'https://files.example.com',
 *   onError: (error) => console.error(error),
 * });
 */
export function createStorage(options: StorageOptions): Storage {
  const context = toContext(options);
  return {
    storage: createOperations(context),
    upload: { uploadFile: createUploadFile(context) },
    grants: context.grants,
    download: createDownload(context),
  };
}
