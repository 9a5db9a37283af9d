import createClient from 'openapi-fetch';
import type { paths } from './generated/storage.v2.gen.ts';
import { assertBaseUrl } from './internal/assert-base-url.ts';
import { rememberCalls } from './internal/calls.ts';
import { platformFetch } from './internal/platform-fetch.ts';
import { readEnvelope } from './internal/read-envelope.ts';
import type { StorageContext } from './internal/storage-context.ts';
import { storageHeaders } from './internal/storage-headers.ts';
import { toPath } from './internal/to-path.ts';
import { copyFile } from './operations/copy-file.ts';
import { deleteFile } from './operations/delete-file.ts';
import { download } from './operations/download.ts';
import { tempUrl } from './operations/temp-url.ts';
import { upload } from './operations/upload.ts';
import type { StorageClient } from './storage-client.ts';
import type { StorageCredentialsSource } from './storage-credentials.ts';
import { defaultWireProfile, type WireProfile } from './wire-profile.ts';

/** Options of {@link createStorageClient}. */
export interface StorageClientOptions {
  /** Address of the storage API, such as `https://storage.example.com`. */
  readonly baseUrl: string;
  /** Identifier of the environment; it stands in the path of every call. */
  readonly envId: string;
  /** The three header values, or a function that gives them for each call (D17). */
  readonly credentials: StorageCredentialsSource;
  /** Names of the deployment (D1). Default: {@link defaultWireProfile}. */
  readonly wireProfile?: WireProfile | undefined;
  /** Your own `fetch`, for example behind a proxy or in a test. Default: the platform's. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Takes warnings, such as a link lifetime above 3600 s. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * A client of the storage API (v2) for one environment, typed from the contract. All three
 * credential headers go with every call, but never to an upload address or a link.
 *
 * @throws TypeError where `baseUrl` holds a password, a query or a fragment
 *
 * @example
 * const storage = createStorageClient({ baseUrl: 'https://storage.example.com', envId: 'dev', credentials });
 * const { fileID } = await storage.upload('reports/summary.txt', 'Hello');
 * const text = await (await storage.download(fileID)).text();
 */
export function createStorageClient(options: StorageClientOptions): StorageClient {
  const { baseUrl, envId, wireProfile = defaultWireProfile } = options;
  const { fetch = platformFetch, onWarning = warn } = options;
  assertBaseUrl(baseUrl);
  const client = createClient<paths>({
    baseUrl,
    fetch,
    pathSerializer: toPath,
    // A redirect would carry the credentials to another address; the contract knows none.
    redirect: 'manual',
  });
  client.use(
    rememberCalls(wireProfile, [
      wireProfile.storageHeaders.authorization,
      wireProfile.storageHeaders.sessionToken,
    ]),
    storageHeaders(options.credentials, wireProfile),
  );
  const post = client.POST as (path: string, init: object) => ReturnType<StorageClient['POST']>;
  const POST = ((path, init) =>
    post(path, {
      ...init,
      params: { path: { envId, ...init.params?.path } },
    })) as StorageClient['POST'];

  const context: StorageContext = {
    fetch,
    wireProfile,
    onWarning,
    async call(path, body, what, signal) {
      const params = { path: { envId } };
      return readEnvelope(await post(path, { params, body, signal, parseAs: 'text' }), what);
    },
  };
  return {
    POST,
    use: client.use,
    eject: client.eject,
    upload: (...args) => upload(context, ...args),
    tempUrl: (...args) => tempUrl(context, ...args),
    download: (...args) => download(context, ...args),
    delete: (...args) => deleteFile(context, ...args),
    copy: (srcPath, dstPath, rest) => copyFile(context, { srcPath, dstPath, ...rest }),
    move: (srcPath, dstPath, rest) =>
      copyFile(context, { srcPath, dstPath, ...rest, removeOriginal: true }),
  };
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: the documented default of onWarning (D22).
  console.warn(message);
}
