import type { StorageHandlers } from '@berth/server-stubs';
import { toContext } from './context.ts';
import { createDownload, type Download, type DownloadRequest } from './download.ts';
import { createOperations } from './operations.ts';
import type { StorageCaller, StorageOptions } from './options.ts';
import { createUploadFile, type UploadFile } from './upload.ts';

/** The parts of a storage API that is backed by a file store. */
export interface StorageApi {
  /** Handlers for `createStorageRouter`. */
  readonly storage: Required<StorageHandlers<StorageCaller>>;
  /** For `createUploadRouter`. Mount the router at the path of `uploadTarget`. */
  readonly upload: { readonly uploadFile: UploadFile };
  /**
   * Handles requests for links, whose paths start with `/files/`: passes the response to `send`, and returns its result.
   * Errors of the store are reported to `onError`, also those that occur while `send` reads the file.
   * @throws UploadError the error to respond with, if nothing has been sent
   */
  download<Result>(
    request: DownloadRequest,
    requestId: string,
    send: (download: Download) => Result | Promise<Result>,
  ): Promise<Result>;
}

/**
 * Creates a storage API that is backed by a file store. Grants and links are signed and contain everything that they
 * need, so servers with the same store and the same keys are interchangeable.
 *
 * @throws TypeError if `limits` are invalid
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
export function createStorage(options: StorageOptions): StorageApi {
  const context = toContext(options);
  return {
    storage: createOperations(context),
    upload: { uploadFile: createUploadFile(context) },
    download: createDownload(context),
  };
}
