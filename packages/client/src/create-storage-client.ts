import { type StorageCredentialsSource, toStorageSigner } from './auth/credentials.ts';
import type { FetchLike, Hooks, SharedCallOptions } from './call-options.ts';
import {
  AVATAR_BYTES,
  IDEMPOTENT_OPERATIONS,
  PUBLIC_LINK_SECONDS,
  STORAGE_PATH,
} from './generated/contract.gen.ts';
import { readEnvelope } from './internal/envelope.ts';
import { readText } from './internal/failures.ts';
import { wrong } from './internal/options.ts';
import { createPipeline, platformFetch } from './internal/pipeline/create-pipeline.ts';
import type { RetryClass } from './internal/pipeline/pipeline-call.ts';
import { createRawCalls } from './internal/raw-calls.ts';
import type { StorageContext } from './internal/storage-context.ts';
import { assertBaseUrl } from './internal/urls.ts';
import { type CopyOrder, copyFiles, deleteFiles } from './operations/copy-and-delete.ts';
import { download, downloadToFile } from './operations/download.ts';
import { onlyResult } from './operations/list-call.ts';
import { tempUrl, tempUrls } from './operations/temp-urls.ts';
import { upload } from './operations/upload.ts';
import { uploadMany } from './operations/upload-many.ts';
import type { StorageClient, StorageFiles } from './storage-client.ts';
import { defaultWireProfile, type WireProfile } from './wire-profile.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A redirect would send the credentials elsewhere; the contract has none. */
const NO_REDIRECT = { redirect: 'manual' } as const;

/**
 * Options of {@link createStorageClient}.
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
  /** Identifier of the environment, part of the path of every call. */
  readonly envId: string;
  /**
   * The three header values, or a function that returns them for each attempt (D17), such as one created
   * by `tc3Storage`.
   */
  readonly credentials: StorageCredentialsSource;
  /** Wire profile of the deployment (D1). Default: `defaultWireProfile`. */
  readonly wireProfile?: WireProfile | undefined;
  /**
   * Where the deployment expects the fields of a request: at the top level, or nested in `data` (D21).
   * Raw calls are sent as you write them. Default: `top`.
   */
  readonly requestForm?: 'top' | 'data' | undefined;
  /**
   * Your own `fetch`, for example for a proxy or a test. Uploads and downloads use it too, and lose what
   * it cannot do: progress, and in Node and Workers streamed uploads. If it rejects, the error becomes
   * the `cause` of a `NetworkError`. Default: the platform's, and `node:http` for uploads in Node.
   */
  readonly fetch?: FetchLike | undefined;
  /**
   * An `Agent` of `node:http` or `node:https` for uploads in Node, for example for a proxy. Default: the
   * global one.
   */
  readonly agent?: object | undefined;
  /**
   * Functions called for each attempt to call the storage API or a link. The response of a link has an
   * empty `url`, because its URL is a grant. Default: none.
   */
  readonly hooks?: Hooks | undefined;
  /** Receives warnings, such as for a link lifetime above 3600 s. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Creates a client of the storage API (v2) for one environment, typed by the contract. It sends all
 * three credential headers with every call, but never to an upload target or a link.
 *
 * @throws TypeError if `baseUrl` is not an http(s) URL or contains a password, a query or a fragment, if
 *   `envId` is empty, or if `credentials` are missing
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
    wireProfile = defaultWireProfile,
    fetch = platformFetch,
    // biome-ignore lint/suspicious/noConsole: the documented default (D22).
    onWarning = (message) => console.warn(message),
  } = options;
  assertBaseUrl(options.baseUrl);
  // `fetch` would drop a segment of dots.
  if (!/[^.]/.test(envId ?? '')) throw new TypeError('envId is missing.');
  if (!credentials || (typeof credentials !== 'object' && typeof credentials !== 'function')) {
    throw wrong('credentials', 'an object or a function', credentials);
  }
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  const prefix = baseUrl + STORAGE_PATH.replace('{envId}', encodeURIComponent(envId));
  const shared = { ...options, classify: classifyStatus };
  const { authorization, sessionToken } = wireProfile.storageHeaders;
  const pipeline = createPipeline({
    ...shared,
    signer: toStorageSigner(credentials, wireProfile),
    secretHeaders: [authorization, sessionToken].map((name) => name.toLowerCase()),
  });
  const { call, ...middleware } = createRawCalls(pipeline, { baseUrl, ...NO_REDIRECT });
  const send = call('POST');

  const context: StorageContext = {
    ...options,
    wireProfile,
    onWarning,
    // A link carries its own grant: it gets no credentials, and hooks never see its URL.
    links: createPipeline({
      ...shared,
      fetch: async (...request) => {
        const response = await fetch(...request);
        return new Response(response.body, response);
      },
      secretHeaders: [],
    }),
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
        readEnvelope({ data: await readText(response), response }, what),
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
 * Whether a failed response of the storage API or of a link allows a retry, by its status alone: 429 and
 * 401 were not executed, and a status of the server may be temporary (RFC 9110, section 15.6), except
 * for 501 and anything above 504.
 */
function classifyStatus({ status }: Response): RetryClass {
  if (status === 429) return 'any';
  if (status === 401) return 'unauthorized';
  return [500, 502, 503, 504].includes(status) ? 'idempotent' : 'never';
}

/** The methods of a storage client for files. */
function bindStorage(context: StorageContext): StorageFiles {
  const bind =
    <Rest extends unknown[], Result>(operation: (first: StorageContext, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      operation(context, ...rest);
  const copyOrMove = (isMove: boolean) =>
    (async (first: string | readonly CopyOrder[], second?: unknown, options?: object) => {
      if (typeof first !== 'string') return copyFiles(context, first, second as object, isMove);
      const order = { srcPath: first, dstPath: second as string };
      const { fileID } = await onlyResult(copyFiles(context, [order], options, isMove));
      return { fileID };
    }) as StorageFiles['copy'];
  return {
    upload: bind(upload),
    uploadMany: bind(uploadMany),
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
