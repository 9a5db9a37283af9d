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
import type { RetryClass } from './internal/pipeline.ts';
import { createPipeline, platformFetch } from './internal/pipeline.ts';
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
  readonly wireProfile?: WireProfile | undefined;
  /**
   * Where the deployment expects the request fields: at the top level, or nested in `data` (D21). Raw
   * calls are sent as you write them. Default: `top`.
   */
  readonly requestForm?: 'top' | 'data' | undefined;
  /**
   * Your own `fetch`, for example for a proxy or a test. It is also used for uploads and downloads,
   * which then lose what `fetch` cannot do: progress, and streamed uploads in Node and Workers. If it
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
   * Functions that are called for each attempt to call the storage API or fetch a link. For links, the
   * `url` of the response is empty, because anyone who knows it can download the file. Default: none.
   */
  readonly hooks?: Hooks | undefined;
  /**
   * Called with warnings: about a link lifetime above 3600 s and, in Node, Deno and Bun, once about an
   * uploaded path that cannot be copied or moved (D24). Default: `console.warn`.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

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
    wireProfile = defaultWireProfile,
    fetch = platformFetch,
    // biome-ignore lint/suspicious/noConsole: the documented default (D22).
    onWarning = (message) => console.warn(message),
  } = options;
  assertBaseUrl(options.baseUrl);
  // `fetch` would drop a path segment of dots.
  if (!/[^.]/.test(envId ?? '')) throw new TypeError('envId must not be empty, "." or "..".');
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
    // A link carries its own grant, so it gets no credentials, and hooks never see its URL.
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

/** Binds the file methods to a storage client. */
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
