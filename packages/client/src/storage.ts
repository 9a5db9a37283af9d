import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { createStorageSession, type StorageCredentialsSource } from './auth.ts';
import { IDLE, type LimitOptions, type TransferOptions, toLimits } from './call-options.ts';
import { type CallInit, type Calls, createCalls } from './calls.ts';
import { checkNumber } from './checks.ts';
import type { StorageContext, StoragePath } from './context.ts';
import { readEnvelope } from './envelope.ts';
import { createSender, type FetchLike } from './fetch.ts';
import { createFileMethods, type FileMethods } from './files.ts';
import { AVATAR_BYTES, IDEMPOTENT_OPERATIONS, STORAGE_PATH } from './generated/contract.gen.ts';
import type { paths } from './generated/storage.v2.gen.ts';
import { retryOfStorage } from './retry-rules.ts';
import { closeOnFailure } from './streams.ts';
import type { DownloadOptions } from './transfer/download.ts';
import type { UploadData } from './transfer/form.ts';
import type { UploadOptions, UploadResult } from './transfer/upload.ts';
import { toBaseUrl, toSegment } from './urls.ts';

/** Maximum size of a response in bytes; 50 links take less than 1 MiB. */
const RESPONSE_BYTES = 16_777_216;

/** Options for {@link createStorageClient}. */
export interface StorageClientOptions extends LimitOptions, Pick<TransferOptions, 'idle'> {
  /** URL of the storage API, such as `https://storage.example.com`. */
  readonly baseUrl: string;
  /** ID of the environment, which is part of the path of every call. */
  readonly envId: string;
  /**
   * The three header values, or a function that returns them for each attempt, such as one of `tc3Storage`. It gets the
   * time in milliseconds since the epoch, according to the server's clock, once known.
   */
  readonly credentials: StorageCredentialsSource;
  /** Names that the deployment uses, from `toWireProfile`. Default: the contract's. */
  readonly wireProfile?: WireProfile | undefined;
  /**
   * Where the deployment expects the fields of a request: at the top level, or nested in `data`. `POST` sends its body
   * as is. Default: `top`.
   */
  readonly requestForm?: 'top' | 'data' | undefined;
  /**
   * Sends each attempt, for example through a proxy. Uploads in Node do not use it, because `fetch` is too slow for
   * large files: set `agent` as well. Nor do uploads in browsers with `onProgress`, which `fetch` does not support.
   * Default: the global `fetch`.
   */
  readonly fetch?: FetchLike | undefined;
  /** An `Agent` of `node:http` or `node:https` for uploads in Node. Default: the global agent. */
  readonly agent?: object | undefined;
  /** Called with a warning about a link lifetime above 3600 s. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The storage operations of the contract. The client knows the environment, so `params` are optional. */
type StorageCalls = Calls<{
  [Path in StoragePath]: {
    post: Omit<paths[Path]['post'], 'parameters'> & { parameters: { path?: { envId?: string } } };
  };
}>;

/**
 * A storage client.
 *
 * A method for one file throws a `BerthError` if it fails: `storage` if the call or the file was rejected, `upload` if
 * the upload target rejected the form, `network`, `timeout`, or `options` for an invalid argument. A method for a list
 * returns a result for each file instead, in the order of the list; a failed file or call does not affect the others.
 */
export interface StorageClient extends FileMethods {
  /**
   * Calls an operation with `openapi-fetch`, typed by the contract, and returns its envelope, which `unwrapEnvelope`
   * reads. An error status does not throw: the result then has an `error`.
   */
  readonly POST: StorageCalls['POST'];
  /**
   * Adds middleware of `openapi-fetch` to all storage calls, including those of other methods. Upload targets and
   * links are not storage calls.
   *
   * @example
   * storage.use({ onRequest: ({ request }) => request.headers.set('traceparent', currentTrace()) });
   */
  readonly use: StorageCalls['use'];
  /** Removes middleware that `use` added. */
  readonly eject: StorageCalls['eject'];
  /**
   * Uploads a file: requests a grant, then posts the form to the upload target. If the target has a temporary failure
   * or the connection is lost, it tries again with a new grant, unless `data` is a stream. An error that your stream or
   * `onProgress` throws ends the upload, which then rejects with it.
   *
   * @param path path in the storage, with the file name
   * @param data content of the file; a string is content too, not a path, and `{ file }` is a local file
   *
   * @example
   * const { fileID } = await storage.upload('a.txt', 'Hello', { contentType: 'text/plain' });
   * await storage.upload('video.mp4', { file: './video.mp4' }, {
   *   onProgress: ({ loaded, total }) => showBar(loaded, total),
   * });
   */
  upload(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;
  /**
   * Uploads a user picture, like `upload`, but rejects content larger than 204,800 bytes (200 KiB). The contract has no
   * such limit, so servers may accept more.
   */
  uploadAvatar(path: string, data: UploadData, options?: UploadOptions): Promise<UploadResult>;
  /**
   * Downloads a file, or part of it, through a temporary link. Returns before the body is read: read it as a stream, a
   * blob or text. If it is interrupted, is not the requested part, or stops for longer than `idle`, reading it fails.
   *
   * @example
   * const blob = await (await storage.download(fileID)).blob();
   * const first = await storage.download(fileID, { range: { offset: 0, length: 1_024 } });
   */
  download(fileID: string, options?: DownloadOptions): Promise<Response>;
  /**
   * Downloads to a local file, in Node. After an interruption, the download continues with a new link, as long as the
   * file has the same strong `ETag`. An existing file is replaced when all bytes have arrived.
   *
   * @example
   * await storage.downloadToFile(fileID, './video.mp4');
   */
  downloadToFile(fileID: string, file: string | URL, options?: DownloadOptions): Promise<void>;
}

/**
 * Creates a client for the storage API (v2) in one environment. Its credentials are sent with every storage call, but
 * never to an upload target or a link.
 *
 * @throws BerthError of the kind `options` if an option is invalid
 *
 * @example
 * const storage = createStorageClient({ baseUrl: 'https://storage.example.com', envId: 'dev', credentials });
 * const { fileID } = await storage.upload('reports/summary.txt', 'Hello');
 * const text = await (await storage.download(fileID)).text();
 */
export function createStorageClient(options: StorageClientOptions): StorageClient {
  const { envId, requestForm, fetch, agent, idle = IDLE } = options;
  // biome-ignore lint/suspicious/noConsole: the documented default.
  const { wireProfile = defaultWireProfile, onWarning = console.warn } = options;
  const baseUrl = toBaseUrl(options.baseUrl);
  toSegment('envId', envId);
  checkNumber('idle', idle, 0);
  const limits = toLimits(options);
  const session = createStorageSession(options.credentials, wireProfile);
  const scope = baseUrl + STORAGE_PATH.replace(/\{.*/, '');
  const classify = ({ status }: Response) => (status === 401 ? 'renew' : retryOfStorage(status));
  const sender = createSender({ limits, fetch, session, scope, classify });
  const toInit = (path: string, init: CallInit = {}): CallInit => ({
    ...init,
    idempotent: init.idempotent ?? IDEMPOTENT_OPERATIONS.some((id) => path.endsWith(id)),
    params: { ...init.params, path: { envId, ...init.params?.path } },
  });
  const { client, call } = createCalls<paths>(sender, baseUrl, [], RESPONSE_BYTES);

  const context: StorageContext = {
    wireProfile,
    onWarning,
    transferLimits: { ...limits, timeout: 0, idle },
    platformFetch: fetch,
    agent,
    async callOperation(operation, fields, summary, options) {
      const path = STORAGE_PATH + operation;
      const body = requestForm === 'data' ? { data: fields } : fields;
      const { signal, timeout, retry } = options;
      const init = toInit(path, { signal, timeout, retry, body, parseAs: 'text' });
      return call('POST', path, init, (result, { url }) => readEnvelope(result, summary, url));
    },
  };

  const files = createFileMethods(context);

  // Loaded on first use, as downloads are: many pages only upload files, or only show them.
  const createUpload =
    (maxBytes?: number): StorageClient['upload'] =>
    (path, data, init) =>
      closeOnFailure(data, async () => {
        const { upload } = await import('./transfer/upload.ts');
        return upload(context, path, data, init, maxBytes);
      });

  return {
    ...files,
    POST: ((path: string, init?: CallInit) =>
      call('POST', path, toInit(path, init))) as StorageCalls['POST'],
    use: client.use,
    eject: client.eject,
    upload: createUpload(),
    uploadAvatar: createUpload(AVATAR_BYTES),
    async download(fileID, init) {
      const { download } = await import('./transfer/download.ts');
      return download({ ...context, ...files }, fileID, init);
    },
    async downloadToFile(fileID, file, init) {
      const { downloadToFile } = await import('./transfer/download.ts');
      return downloadToFile({ ...context, ...files }, fileID, file, init);
    },
  };
}
