import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import {
  type BlobStore,
  createMemoryStore,
  createStorage,
  type StorageOptions,
} from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import { XMLParser } from 'fast-xml-parser';
import { serve } from '../../../server-stubs/test/support/serve.ts';

const BUCKETS: Readonly<Record<string, string>> = { dev: 'files', other: 'files' };

export type Settings = Partial<Omit<StorageOptions, 'blobs'>> & {
  readonly blobs?: BlobStore;
  readonly keys?: readonly Buffer[];
};

export interface Deployment {
  readonly base: string;
  readonly blobs: BlobStore;
  readonly keys: readonly Buffer[];
  /** The time in milliseconds since the epoch, which a test may change. */
  readonly clock: { now: number };
  readonly errors: unknown[];
}

/** Starts a storage API server for one test, by default with files in memory. */
export async function deploy(settings: Settings = {}): Promise<Deployment> {
  const clock = { now: Date.parse('2026-11-20T10:00:00.500Z') };
  const errors: unknown[] = [];
  const blobs = settings.blobs ?? createMemoryStore();
  const keys = settings.keys ?? [randomBytes(32)];
  const server = createServer();
  const base = await serve(server);
  const onError = (error: unknown) => void errors.push(error);
  const { storage, upload, download } = createStorage({
    bucketOf: (env) => (Object.hasOwn(BUCKETS, env) ? BUCKETS[env] : undefined),
    publicUrl: base,
    now: () => clock.now,
    onError,
    ...settings,
    blobs,
    signer: createSigner(keys),
  });
  const files = createDownloadListener({ download });
  const storageRouter = createStorageRouter(storage, {
    // Accepts every caller that names an environment, because authentication is tested elsewhere.
    security: { credentials: ({ authorization }) => ({ env: authorization, id: 'tester' }) },
    onError,
  });
  const uploadRouter = createUploadRouter(upload, { onError });
  server.on('request', (request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/api/v2/')) return storageRouter(request, response);
    return files(request, response, () => {
      request.url = url.replace(/^\/upload/, '') || '/';
      uploadRouter(request, response);
    });
  });
  return { base, blobs, keys, clock, errors };
}

export interface UploadMeta {
  readonly url: string;
  readonly token: string;
  readonly authorization: string;
  readonly fileID: string;
  readonly storeFileID: string;
}

export interface Called<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly data: Data;
}

interface CallAs {
  readonly env?: string;
  /** Default: credentials of the environment. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server of any kind. */
type Server = Pick<Deployment, 'base'>;

/** Calls a storage API operation. */
export async function call<Data = { fileList: Record<string, string>[] }>(
  { base }: Server,
  operation: string,
  body: unknown,
  { env = 'dev', headers }: CallAs = {},
): Promise<Called<Data>> {
  const response = await fetch(`${base}/api/v2/envs/${env}/storages:${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(headers ?? { 'x-svc-authorization': env, 'x-svc-timestamp': '1700000000' }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const envelope = (await response.json()) as { body: Called<Data> };
  return { ...envelope.body, status: response.status, headers: response.headers };
}

/** Requests a grant. */
export async function grant(to: Server, path: string, as?: CallAs): Promise<UploadMeta> {
  const { data } = await call<UploadMeta>(to, 'getUploadMetaData', { path }, as);
  return data;
}

/** Returns the fields of a form with a grant. */
export function toFields(key: string, meta: UploadMeta): Record<string, string> {
  return {
    key,
    Signature: meta.authorization,
    'x-store-security-token': meta.token,
    'x-store-meta-fileid': meta.storeFileID,
  };
}

/** Posts a form to an upload target; without a file if there is no content. */
export function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  content?: string | Uint8Array<ArrayBuffer>,
  type = 'text/plain',
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (content !== undefined) form.append('file', new Blob([content], { type }), 'a.bin');
  return fetch(url, { method: 'POST', body: form });
}

/** Uploads a file in both steps, and returns its ID. */
export async function put(
  to: Server,
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  { type, ...as }: CallAs & { readonly type?: string } = {},
): Promise<string> {
  const meta = await grant(to, path, as);
  const response = await post(meta.url, toFields(path, meta), content, type);
  if (!response.ok) throw new Error(`Upload of ${path}: ${await response.text()}`);
  return meta.fileID;
}

/** Requests a link to a file. */
export async function link(to: Server, fileID: string, maxAge?: number): Promise<string> {
  const { data } = await call(to, 'batchGetTempUrls', { fileList: [{ fileID, maxAge }] });
  return data.fileList[0]?.tempFileURL ?? '';
}

/** Returns the content of a stored file; `undefined` if it does not exist. */
export async function contentOf({ blobs }: Deployment, path: string) {
  const blob = await blobs.open({ env: 'dev', path });
  return blob && Buffer.from(blob.read() as Uint8Array).toString();
}

/** Returns the `Error` element of an XML response. */
export async function errorOf(response: Response): Promise<Record<string, string>> {
  if (response.headers.get('content-type') !== 'application/xml') {
    throw new Error(`No XML: ${response.status} ${response.headers.get('content-type')}`);
  }
  return new XMLParser({ ignoreDeclaration: true }).parse(await response.text()).Error;
}
