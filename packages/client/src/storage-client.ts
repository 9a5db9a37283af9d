import type { Middleware, ParseAs } from 'openapi-fetch';
import type { paths } from './generated/storage.v2.gen.ts';
import type { CallInit, CallResult } from './internal/raw-calls.ts';
import type { StorageCallOptions, StoragePath } from './internal/storage-context.ts';
import type {
  CopyListOptions,
  CopyListResult,
  CopyOptions,
  CopyOrder,
  CopyResult,
  DeleteResult,
} from './operations/copy-and-delete.ts';

import type { DownloadOptions } from './operations/download.ts';
import type { ListOptions } from './operations/list-call.ts';
import type {
  TempUrlOptions,
  TempUrlOrder,
  TempUrlResult,
  TempUrlsOptions,
} from './operations/temp-urls.ts';
import type { UploadOptions, UploadResult } from './operations/upload.ts';
import type { UploadManyOptions, UploadManyResult, UploadOrder } from './operations/upload-many.ts';
import type { UploadData } from './platform/upload-form.ts';

/** Options of one raw call: the client knows the environment, so no `params` are needed. */
type StorageInit<Operation, As> = Omit<CallInit<Operation, As>, 'params'> &
  Omit<StorageCallOptions, 'signal'> & {
    /** Another environment than the client's own, where one is meant. */
    params?: { path?: { envId?: string } };
  };

/** Raw calls to the storage API, typed from the contract. */
interface StorageCalls {
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
  /** Adds middleware of `openapi-fetch` to the raw calls; `hooks` see all calls. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware again. */
  eject(...middleware: Middleware[]): void;
}

/**
 * What can be done with files. A method for one file throws where it fails: a `StorageError` where
 * the call or the file was refused, a `NetworkError` or `TimeoutError` where no answer came, and the
 * reason of `signal` where it aborts. A method for a list gives a result for each file instead, in
 * the order given; a file or a call that fails leaves the results of the others as they are.
 */
export interface StorageFiles {
  /**
   * Uploads a file whole: asks for an address and a grant, then posts the form there (D27). Where the
   * target is not well or the connection is lost, it tries again with a new grant, unless `data` is a
   * stream.
   *
   * @param path cloud path with the file name, such as `reports/summary.txt`
   * @param data the content; a string is content as well, and `{ file }` a file of the disk
   * @throws StorageError where the first step failed
   * @throws UploadError where the upload target refused; nothing is stored then
   * @throws RangeError where the content is longer than `maxBytes`, or not as long as `size`
   * @throws TypeError where `path` is missing or empty, or `data` is no content
   *
   * @example
   * await storage.upload('a.txt', 'Hello', { contentType: 'text/plain' });
   * await storage.upload('video.mp4', { file: './video.mp4' }, {
   *   onProgress: ({ loaded, total }) => showBar(loaded, total),
   * });
   */
  upload(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;

  /**
   * Uploads many files, 4 at a time by default. It does not reject for files that failed, nor where
   * `signal` aborts: `remaining` is what to give it the next time.
   *
   * @example
   * let files = [{ path: 'a.txt', data: { file: './a.txt' } }, { path: 'b.txt', data: 'Hello' }];
   * const { results, remaining } = await storage.uploadMany(files);
   * if (remaining.length > 0) await storage.uploadMany(remaining);
   */
  uploadMany(files: readonly UploadOrder[], options?: UploadManyOptions): Promise<UploadManyResult>;

  /**
   * Uploads the picture of a user, of at most 204,800 bytes (200 KiB); else as `upload`.
   *
   * @throws RangeError where it is longer
   *
   * @example
   * await storage.uploadAvatar('avatars/7.png', file, { contentType: 'image/png' });
   */
  uploadAvatar(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;

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
   * Links to a list of files of any length.
   *
   * @throws RangeError where a `maxAge` is no integer of at least 1; nothing is sent then
   *
   * @example
   * for (const { fileID, url, error } of await storage.tempUrls(ids, { maxAge: 600 })) {
   *   if (error) console.error(error.message);
   *   else show(fileID, url);
   * }
   */
  tempUrls(
    files: readonly (string | TempUrlOrder)[],
    options?: TempUrlsOptions,
  ): Promise<TempUrlResult[]>;

  /**
   * A link for the public: its lifetime is always 600 seconds (D22).
   *
   * @throws StorageError where there is no such file
   *
   * @example
   * const link = await storage.publicUrl(fileID);
   */
  publicUrl(fileID: string, options?: StorageCallOptions): Promise<string>;

  /**
   * Fetches a file, or a part of it, by a temporary link. The body is yet unread: read it as a stream,
   * a blob or text. Where the connection is lost while you read, it goes on where it was, as long as
   * the file has the same strong `ETag`.
   *
   * @throws RangeError where `maxAge` or `range` is wrong
   *
   * @example
   * const blob = await (await storage.download(fileID)).blob();
   * const first = await storage.download(fileID, { range: { offset: 0, length: 1_024 } });
   */
  download(fileID: string, options?: DownloadOptions): Promise<Response>;

  /**
   * Downloads to a file of the disk, in Node, Deno and Bun. The file is whole or not there: it is
   * written under another name beside it first, and replaces an older one.
   *
   * @throws TypeError in browsers
   *
   * @example
   * await storage.downloadToFile(fileID, './video.mp4');
   */
  downloadToFile(fileID: string, file: string | URL, options?: DownloadOptions): Promise<void>;

  /**
   * Deletes a file, or a list of any length. A missing one is an error.
   *
   * @throws StorageError where one file is not deleted; of a list it is the `error` of its result
   *
   * @example
   * await storage.delete(fileID);
   * const failed = (await storage.delete(ids)).filter(({ error }) => error);
   */
  delete(fileID: string, options?: StorageCallOptions): Promise<void>;
  delete(fileIDs: readonly string[], options?: ListOptions): Promise<DeleteResult[]>;

  /**
   * Copies a file, or a list of any length. Paths are absolute, with a leading `/` (D24).
   *
   * @throws StorageError where one file is not copied; of a list it is the `error` of its result
   *
   * @example
   * await storage.copy('/reports/a.txt', '/archive/a.txt', { overwrite: false });
   * const results = await storage.copy([{ srcPath: '/a.txt', dstPath: '/b.txt' }]);
   */
  copy(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  copy(files: readonly CopyOrder[], options?: CopyListOptions): Promise<CopyListResult[]>;

  /**
   * Moves a file, or a list of any length: copies it, then deletes the source. Where it fails the
   * source is left (D30).
   *
   * @throws StorageError where one file is not moved; of a list it is the `error` of its result
   *
   * @example
   * await storage.move('/inbox/a.txt', '/archive/a.txt');
   */
  move(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  move(files: readonly CopyOrder[], options?: CopyListOptions): Promise<CopyListResult[]>;
}

/** The storage client; see `createStorageClient`. */
export interface StorageClient extends StorageCalls, StorageFiles {}
