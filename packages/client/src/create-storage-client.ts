import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import type { Middleware, ParseAs } from 'openapi-fetch';
import { type StorageCredentialsSource, toStorageSigner } from './auth/credentials.ts';
import type { FetchLike, SharedCallOptions } from './call-options.ts';
import {
  AVATAR_BYTES,
  IDEMPOTENT_OPERATIONS,
  PUBLIC_LINK_SECONDS,
  STORAGE_PATH,
} from './generated/contract.gen.ts';
import type { paths } from './generated/storage.v2.gen.ts';
import { readText } from './internal/failures.ts';
import { wrong } from './internal/options.ts';
import { createPipeline, type RetryClass } from './internal/pipeline.ts';
import { type CallInit, type CallResult, createRawCalls } from './internal/raw-calls.ts';
import type { StorageCallOptions, StorageContext, StoragePath } from './internal/storage.ts';
import { readEnvelope } from './internal/storage.ts';
import { assertBaseUrl } from './internal/urls.ts';
import { type DownloadOptions, download, downloadToFile } from './operations/download.ts';
import {
  type CopyItem,
  type CopyListResult,
  type CopyOptions,
  type CopyResult,
  copyFiles,
  type DeleteResult,
  deleteFiles,
  onlyResult,
  type TempUrlOptions,
  type TempUrlResult,
  tempUrl,
  tempUrls,
} from './operations/lists.ts';
import { type UploadOptions, type UploadResult, upload } from './operations/upload.ts';
import type { UploadData } from './platform/upload-form.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Maximum size of a response of the storage API, in bytes; 50 links take less than 1 MiB. */
const RESPONSE_BYTES = 16_777_216;

/** A redirect would send the credentials elsewhere, and the contract has no redirects. */
const NO_REDIRECT = { redirect: 'manual' } as const;

/**
 * Options for {@link createStorageClient}.
 *
 * @example
 * const options: StorageClientOptions = {
 *   baseUrl: 'https://storage.example.com',
 *   envId: 'dev',
 *   credentials: tc3Storage(async () => (await fetch('/my-backend/keys')).json()),
 * };
 */
export interface StorageClientOptions extends SharedCallOptions {
  /** URL of the storage API, such as `https://storage.example.com`. */
  readonly baseUrl: string;
  /** ID of the environment, which is part of every request path. */
  readonly envId: string;
  /**
   * The three header values, or a function that returns them for each attempt (D17), such as one that
   * `tc3Storage` creates.
   */
  readonly credentials: StorageCredentialsSource;
  /** The deployment's wire profile (D1). Default: `defaultWireProfile`. */
  readonly wireProfile?: WireProfileInput | undefined;
  /**
   * Where the deployment expects the request fields: at the top level, or nested in `data` (D21). Raw
   * calls are sent as you write them. Default: `top`.
   */
  readonly requestForm?: 'top' | 'data' | undefined;
  /**
   * Your own `fetch`, for example for a proxy or a test. It is also used for uploads and downloads,
   * which then lose what `fetch` cannot do: progress, and streamed uploads in Node. If it
   * rejects, its error becomes the `cause` of a `NetworkError`. Default: the platform's `fetch`, and
   * `node:http` for uploads in Node.
   */
  readonly fetch?: FetchLike | undefined;
  /**
   * An `Agent` of `node:http` or `node:https` for uploads in Node, for example for a proxy. Default: the
   * global agent.
   */
  readonly agent?: object | undefined;
  /**
   * Called with a warning about a link lifetime above 3600 s (D22). Default: `console.warn`.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

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
  /** Adds `openapi-fetch` middleware to raw calls. */
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
interface StorageFiles {
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
   * @throws RangeError if `maxAge` is not an integer of at least 1
   *
   * @example
   * for (const { fileID, url, error } of await storage.tempUrls(ids, { maxAge: 600 })) {
   *   if (error) console.error(error.message);
   *   else show(fileID, url);
   * }
   */
  tempUrls(fileIDs: readonly string[], options?: TempUrlOptions): Promise<TempUrlResult[]>;

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
   * as a stream, a blob or text. If the connection is lost while you read, that fails with a
   * `NetworkError`; to continue, request the rest with `range`.
   *
   * @throws RangeError if `maxAge` or `range` is invalid
   *
   * @example
   * const blob = await (await storage.download(fileID)).blob();
   * const first = await storage.download(fileID, { range: { offset: 0, length: 1_024 } });
   */
  download(fileID: string, options?: DownloadOptions): Promise<Response>;

  /**
   * Downloads to a local file, in Node. If the connection is lost, the download continues, as long as the
   * file has the same strong `ETag`. The file is never incomplete: the download first goes to a temporary
   * file next to it, then replaces any existing file.
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
  delete(fileIDs: readonly string[], options?: StorageCallOptions): Promise<DeleteResult[]>;

  /**
   * Copies a file, or a list of files of any length. Paths may have a leading `/`: the client sends them as the
   * deployment expects (`copyPaths` in its wire profile).
   *
   * @throws StorageError if the file is not copied; in a list, the error is part of the file's result
   *
   * @example
   * await storage.copy('/reports/a.txt', '/archive/a.txt', { overwrite: false });
   * const results = await storage.copy([{ srcPath: '/a.txt', dstPath: '/b.txt' }]);
   */
  copy(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  copy(files: readonly CopyItem[], options?: CopyOptions): Promise<CopyListResult[]>;

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
  move(files: readonly CopyItem[], options?: CopyOptions): Promise<CopyListResult[]>;
}

/** A storage client, created by {@link createStorageClient}. */
export interface StorageClient extends StorageCalls, StorageFiles {}

/**
 * Creates a client for the storage API (v2) in one environment. Its types come from the contract. It sends
 * all three credential headers with every call, but never to an upload target or a link.
 *
 * @throws TypeError if `baseUrl` is not an http(s) URL or contains a password, a query or a fragment, if
 *   `envId` is empty, or if `credentials` is missing
 * @throws RangeError if a time limit or a number in `retry` is out of range
 *
 * @example
 * const storage = createStorageClient({ baseUrl: 'https://storage.example.com', envId: 'dev', credentials });
 * const { fileID } = await storage.upload('reports/summary.txt', 'Hello');
 * const text = await (await storage.download(fileID)).text();
 */
export function createStorageClient(options: StorageClientOptions): StorageClient {
  if (!options) {
    throw new TypeError('createStorageClient needs { baseUrl, envId, credentials }.');
  }
  const {
    envId,
    credentials,
    requestForm,
    // biome-ignore lint/suspicious/noConsole: the documented default (D22).
    onWarning = (message) => console.warn(message),
  } = options;
  assertBaseUrl(options.baseUrl);
  // `fetch` would drop a path segment of dots.
  if (!/[^.]/.test(envId ?? '')) throw new TypeError('envId must not be empty, "." or "..".');
  if (!credentials || (typeof credentials !== 'object' && typeof credentials !== 'function')) {
    throw wrong('credentials', 'an object or a function', credentials);
  }
  const wireProfile = toWireProfile(options.wireProfile);
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  const prefix = baseUrl + STORAGE_PATH.replace('{envId}', encodeURIComponent(envId));
  const shared = { ...options, classify: classifyStatus };
  const pipeline = createPipeline({
    ...shared,
    signer: toStorageSigner(credentials, wireProfile),
  });
  const { call, ...middleware } = createRawCalls(pipeline, { baseUrl, ...NO_REDIRECT });
  const send = call('POST');

  const context: StorageContext = {
    ...options,
    wireProfile,
    onWarning,
    // A link carries its own grant, so it gets no credentials.
    links: createPipeline(shared),
    call(operation, body, what, callOptions) {
      const call = {
        ...callOptions,
        method: 'POST',
        url: prefix + operation,
        headers: JSON_TYPE,
        body: JSON.stringify(requestForm === 'data' ? { data: body } : body),
        init: NO_REDIRECT,
        idempotent: isIdempotent(operation),
      };
      return pipeline.send(call, async (response) =>
        readEnvelope({ data: await readText(response, RESPONSE_BYTES), response }, what),
      );
    },
  };
  const POST: StorageClient['POST'] = (path, init) =>
    send(path, {
      idempotent: isIdempotent(path.slice(STORAGE_PATH.length)),
      ...init,
      params: { path: { envId, ...init.params?.path } },
    });
  return { POST, ...middleware, ...bindStorage(context) };
}

function isIdempotent(operation: string): boolean {
  return (IDEMPOTENT_OPERATIONS as readonly string[]).includes(operation);
}

/**
 * Returns whether a failed response from the storage API or a link allows a retry, judging by the status alone:
 * 401 and 429 were not executed, and a server error may be temporary (RFC 9110, section 15.6), except
 * for 501 and anything above 504.
 */
function classifyStatus({ status }: Response): RetryClass {
  if (status === 429) return 'any';
  if (status === 401) return 'unauthorized';
  return [500, 502, 503, 504].includes(status) ? 'idempotent' : 'never';
}

function bindStorage(context: StorageContext): StorageFiles {
  const bind =
    <Rest extends unknown[], Result>(operation: (first: StorageContext, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      operation(context, ...rest);
  const copyOrMove = (isMove: boolean) =>
    (async (first: string | readonly CopyItem[], second?: unknown, options?: object) => {
      if (typeof first !== 'string') return copyFiles(context, first, second as object, isMove);
      const file = { srcPath: first, dstPath: second as string };
      const { fileID } = await onlyResult(copyFiles(context, [file], options, isMove));
      return { fileID };
    }) as StorageFiles['copy'];
  return {
    upload: bind(upload),
    uploadAvatar(path, data, options) {
      const maxBytes = Math.min(AVATAR_BYTES, options?.maxBytes ?? AVATAR_BYTES);
      return upload(context, path, data, { ...options, maxBytes });
    },
    tempUrl: bind(tempUrl),
    tempUrls: bind(tempUrls),
    publicUrl: (fileID, options) =>
      tempUrl(context, fileID, { ...options, maxAge: PUBLIC_LINK_SECONDS }),
    download: bind(download),
    downloadToFile: bind(downloadToFile),
    delete: ((files: string | readonly string[], options?: object) =>
      typeof files === 'string'
        ? onlyResult(deleteFiles(context, [files], options)).then(() => {})
        : deleteFiles(context, files, options)) as StorageFiles['delete'],
    copy: copyOrMove(false),
    move: copyOrMove(true),
  };
}
