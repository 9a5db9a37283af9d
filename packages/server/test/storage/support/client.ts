import { XMLParser } from 'fast-xml-parser';
import type { Deployment } from './deploy.ts';

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
  readonly requestId: string;
  readonly data: Data;
}

export interface CallAs {
  readonly env?: string;
  readonly as?: string;
}

/** Calls an operation of the storage API. */
export async function call<Data = { fileList: Record<string, string>[] }>(
  { base }: Deployment,
  operation: string,
  body: unknown,
  { env = 'dev', as = env }: CallAs = {},
): Promise<Called<Data>> {
  const response = await fetch(`${base}/api/v2/envs/${env}/storages:${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-authorization': as,
      'x-svc-timestamp': '1700000000',
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const envelope = (await response.json()) as { body: Called<Data> };
  return { ...envelope.body, status: response.status, headers: response.headers };
}

/** Asks for a grant. */
export async function grant(to: Deployment, path: string, as?: CallAs): Promise<UploadMeta> {
  const { data } = await call<UploadMeta>(to, 'getUploadMetaData', { path }, as);
  return data;
}

/** The fields of a form with a grant. */
export function toFields(key: string, meta: UploadMeta): Record<string, string> {
  return {
    key,
    Signature: meta.authorization,
    'x-store-security-token': meta.token,
    'x-store-meta-fileid': meta.storeFileID,
  };
}

/** Posts a form to an upload target. */
export function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  content: string | Uint8Array<ArrayBuffer>,
  type = 'text/plain',
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([content], { type }), 'a.bin');
  return fetch(url, { method: 'POST', body: form });
}

/** Uploads a file by both steps; gives its ID. */
export async function put(
  to: Deployment,
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  { type, ...as }: CallAs & { readonly type?: string } = {},
): Promise<string> {
  const meta = await grant(to, path, as);
  const response = await post(meta.url, toFields(path, meta), content, type);
  if (!response.ok) throw new Error(`Upload of ${path}: ${await response.text()}`);
  return meta.fileID;
}

/** Asks for a link to a file. */
export async function link(
  to: Deployment,
  fileID: string,
  maxAge?: number,
  as?: CallAs,
): Promise<string> {
  const { data } = await call(to, 'batchGetTempUrls', { fileList: [{ fileID, maxAge }] }, as);
  return data.fileList[0]?.tempFileURL ?? '';
}

/** The content of a file by the store itself; undefined where it is not there. */
export async function contentOf(
  { blobs }: Deployment,
  path: string,
  env = 'dev',
): Promise<string | undefined> {
  const blob = await blobs.open({ env, path });
  return blob && Buffer.concat(await blob.read().toArray()).toString();
}

/** The `Error` element of an answer in XML. */
export async function errorOf(response: Response): Promise<Record<string, string>> {
  if (response.headers.get('content-type') !== 'application/xml') {
    throw new Error(`No XML: ${response.status} ${response.headers.get('content-type')}`);
  }
  return new XMLParser({ ignoreDeclaration: true }).parse(await response.text()).Error;
}
