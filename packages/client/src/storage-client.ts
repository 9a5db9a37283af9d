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

/** Options for one raw call. The client knows the environment, so `params` are optional. */
type StorageInit<Operation, As> = Omit<CallInit<Operation, As>, 'params'> &
  Omit<StorageCallOptions, 'signal'> & {
    /** An environment other than the client's own. */
    params?: { path?: { envId?: string } };
  };

/** Raw storage API calls, typed by the contract. */
interface StorageCalls {
  /**
   * Calls an operation and returns its envelope, unchanged. Use `unwrapEnvelope` to get the `data`. An
   * error status does not throw; the result then has an `error`.
   *
   * @example
   * const path = '/api/v2/envs/{envId}/storages:batchDelete';
   * const { fileList } = unwrapEnvelope(await storage.POST(path, { body: { fileList: ids } }));
   */
  POST<Path extends StoragePath, As extends ParseAs = 'json'>(
    path: Path,
    init: StorageInit<paths[Path]['post'], As>,
  ): Promise<CallResult<paths[Path]['post'], As>>;
  /** Adds `openapi-fetch` middleware to raw calls. Use `hooks` for all other calls. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware that `use` added. */
  eject(...middleware: Middleware[]): void;
}

/**
 * Methods that work on files. A method for one file throws if it fails: a `StorageError` if the call or
 * the file was rejected, a `NetworkError` or `TimeoutError` if there was no response, and the `signal`'s
 * reason if it aborts. A method for a list returns a result for each file instead, in the order in which
 * you passed the files. A failed file or call does not affect the other results.
 */
export interface StorageFiles {
  /**
   * Uploads a file in both steps: requests an upload target and a grant, then posts the form to the
   * target (D27). If the target has a temporary failure or the connection is lost, it tries again with a
   * new grant, unless `data` is a stream.
   *
   * @param path path in the storage, including the file name, such as `reports/summary.txt`
   * @param data content of the file; a string is content too, not a path, and `{ file }` is a local file
   * @throws StorageError if the first step fails
   * @throws UploadError if the upload target rejects the file, in which case nothing was stored
   * @throws RangeError if the content is larger than `maxBytes`, or `size` is not its size
   * @throws TypeError if `path` is missing or empty, or `data` cannot be uploaded
   *
   * @example
   * await storage.upload('a.txt', 'Hello', { contentType: 'text/plain' });
   * await storage.upload('video.mp4', { file: './video.mp4' }, {
   *   onProgress: ({ loaded, total }) => showBar(loaded, total),
   * });
   */
  upload(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;

  /**
   * Uploads many files, 4 at a time by default. Does not reject because of failed files, or because
   * `signal` aborts: pass `remaining` to the next call.
   *
   * @example
   * let files = [{ path: 'a.txt', data: { file: './a.txt' } }, { path: 'b.txt', data: 'Hello' }];
   * const { results, remaining } = await storage.uploadMany(files);
   * if (remaining.length > 0) await storage.uploadMany(remaining);
   */
  uploadMany(files: readonly UploadOrder[], options?: UploadManyOptions): Promise<UploadManyResult>;

  /**
   * Uploads a user picture of at most 204,800 bytes (200 KiB). Otherwise like `upload`.
   *
   * @throws RangeError if the picture is larger
   *
   * @example
   * await storage.uploadAvatar('avatars/7.png', file, { contentType: 'image/png' });
   */
  uploadAvatar(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;

  /**
   * Returns a temporary link to a file, percent-encoded and ready to pass to `fetch` (D22).
   *
   * @throws RangeError if `maxAge` is not an integer of at least 1
   *
   * @example
   * const link = await storage.tempUrl(fileID, { maxAge: 600 });
   */
  tempUrl(fileID: string, options?: TempUrlOptions): Promise<string>;

  /**
   * Returns temporary links to a list of files of any length.
   *
   * @throws RangeError if a `maxAge` is not an integer of at least 1, before anything is sent
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
   * Returns a link for public use, which is always valid for 600 seconds (D22).
   *
   * @throws StorageError if the file does not exist
   *
   * @example
   * const link = await storage.publicUrl(fileID);
   */
  publicUrl(fileID: string, options?: StorageCallOptions): Promise<string>;

  /**
   * Downloads a file, or part of it, through a temporary link. Returns before the body is read: read it
   * as a stream, a blob or text. If the connection is lost while you read, the download resumes, as long
   * as the file has the same strong `ETag`.
   *
   * @throws RangeError if `maxAge` or `range` is invalid
   *
   * @example
   * const blob = await (await storage.download(fileID)).blob();
   * const first = await storage.download(fileID, { range: { offset: 0, length: 1_024 } });
   */
  download(fileID: string, options?: DownloadOptions): Promise<Response>;

  /**
   * Downloads to a local file, in Node, Deno and Bun. The file is never incomplete: the download first
   * goes to a temporary file next to it, then replaces any existing file.
   *
   * @throws TypeError in browsers
   *
   * @example
   * await storage.downloadToFile(fileID, './video.mp4');
   */
  downloadToFile(fileID: string, file: string | URL, options?: DownloadOptions): Promise<void>;

  /**
   * Deletes a file, or a list of files of any length. A missing file is an error.
   *
   * @throws StorageError if the file is not deleted; in a list, the error is part of the file's result
   *
   * @example
   * await storage.delete(fileID);
   * const failed = (await storage.delete(ids)).filter(({ error }) => error);
   */
  delete(fileID: string, options?: StorageCallOptions): Promise<void>;
  delete(fileIDs: readonly string[], options?: ListOptions): Promise<DeleteResult[]>;

  /**
   * Copies a file, or a list of files of any length. Paths are absolute, with a leading `/` (D24).
   *
   * @throws StorageError if the file is not copied; in a list, the error is part of the file's result
   *
   * @example
   * await storage.copy('/reports/a.txt', '/archive/a.txt', { overwrite: false });
   * const results = await storage.copy([{ srcPath: '/a.txt', dstPath: '/b.txt' }]);
   */
  copy(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  copy(files: readonly CopyOrder[], options?: CopyListOptions): Promise<CopyListResult[]>;

  /**
   * Moves a file, or a list of files of any length, by copying it and then deleting the source. The
   * source is kept if that fails (D30).
   *
   * @throws StorageError if the file is not moved; in a list, the error is part of the file's result
   *
   * @example
   * await storage.move('/inbox/a.txt', '/archive/a.txt');
   */
  move(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  move(files: readonly CopyOrder[], options?: CopyListOptions): Promise<CopyListResult[]>;
}

/** A storage client, created by `createStorageClient`. */
export interface StorageClient extends StorageCalls, StorageFiles {}
