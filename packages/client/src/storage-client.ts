import type { Middleware, ParseAs } from 'openapi-fetch';
import type { paths } from './generated/storage.v2.gen.ts';
import type { StoragePath } from './internal/storage-context.ts';
import type { CallInit, CallResult } from './internal/typed-call.ts';
import type { CopyOptions, CopyResult } from './operations/copy-file.ts';
import type { TempUrlOptions } from './operations/temp-url.ts';
import type { UploadData, UploadOptions, UploadResult } from './operations/upload.ts';

/** Options of one raw call: the client knows the environment, so no `params` are needed. */
type StorageInit<Operation, As> = Omit<CallInit<Operation, As>, 'params'> & {
  /** Another environment than the client's own, where one is meant. */
  params?: { path?: { envId?: string } };
};

/**
 * Typed calls to the storage API; see `createStorageClient`. Where nothing else is said, a method
 * throws a `StorageError` on a failed call or a failed file, and rejects as `fetch` does where no
 * answer came or `signal` aborted.
 */
export interface StorageClient {
  /**
   * Sends one operation and gives its envelope untouched; `unwrapEnvelope` opens it. An error status
   * does not throw: it gives `error`.
   *
   * @example
   * const path = '/api/v2/envs/{envId}/storages:batchDelete';
   * const { fileList } = unwrapEnvelope(await storage.POST(path, { body: { fileList: ids } }));
   */
  POST<Path extends StoragePath, As extends ParseAs = 'json'>(
    path: Path,
    init: StorageInit<paths[Path]['post'], As>,
  ): Promise<CallResult<paths[Path]['post'], As>>;
  /** Adds middleware of `openapi-fetch` to the operations; uploads and links have none. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware again. */
  eject(...middleware: Middleware[]): void;

  /**
   * Uploads a file whole: asks for an address and a grant, then posts the form there (D27).
   *
   * @param path cloud path with the file name, such as `reports/summary.txt`
   * @throws StorageError where the first step failed
   * @throws UploadError where the upload target refused; nothing is stored then
   *
   * @example
   * const { fileID } = await storage.upload('a.txt', 'Hello', { contentType: 'text/plain' });
   */
  upload(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;

  /**
   * A link to a file that works for a while, percent-encoded and ready for `fetch` (D22).
   *
   * @throws RangeError where `maxAge` is no integer of at least 1
   *
   * @example
   * const link = await storage.tempUrl(fileID, { maxAge: 600 });
   */
  tempUrl(fileID: string, options?: TempUrlOptions): Promise<string>;

  /**
   * Fetches a file by a temporary link. The body is yet unread: read it as a stream, a blob or text.
   *
   * @throws RangeError where `maxAge` is no integer of at least 1
   *
   * @example
   * const blob = await (await storage.download(fileID)).blob();
   */
  download(fileID: string, options?: TempUrlOptions): Promise<Response>;

  /**
   * Deletes a file. A missing one is an error.
   *
   * @example
   * await storage.delete(fileID);
   */
  delete(fileID: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  /**
   * Copies a file. Paths are absolute, with a leading `/` (D24).
   *
   * @example
   * await storage.copy('/reports/a.txt', '/archive/a.txt', { overwrite: false });
   */
  copy(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;

  /**
   * Moves a file: copies it, then deletes the source. Where it fails the source is left (D30).
   *
   * @example
   * await storage.move('/inbox/a.txt', '/archive/a.txt');
   */
  move(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
}
