import { mswHandlers, routes } from '@berth/mock/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

export const BASE = 'https://api.example.com';

/** Sets up handlers and an MSW server, like the tests of an application. */
export const berth = mswHandlers({
  baseUrl: BASE,
  services: {
    orders: routes({
      'GET /:id': (_, { id }) => Response.json({ id }),
      'POST /': async (request) => Response.json(await request.json(), { status: 201 }),
    }),
  },
});
/** A deployment that sends flat responses (D20). */
export const FLAT = 'https://flat.example.com';
const flat = mswHandlers({ baseUrl: FLAT, wireProfile: { envelope: 'flat' } });
const server = setupServer(...berth.handlers, ...flat.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => berth.reset());
afterAll(() => server.close());

const bearer = { authorization: 'Bearer any' };

export function call(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  return fetch(`${BASE}/v1/cloudrun/${path}`, {
    ...init,
    headers: { ...bearer, ...(headers as object) },
  });
}

export function callStorage(
  id: string,
  body: unknown,
  { base = BASE, env = 'dev', ...init }: RequestInit & { base?: string; env?: string } = {},
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    'x-svc-authorization': '1.0 any',
    'x-svc-timestamp': '1700000000',
    ...(init.headers as object),
  };
  const url = `${base}/api/v2/envs/${env}/storages:${id}`;
  return fetch(url, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

/** Returns the `data` of a storage call. */
export async function dataOf<Data>(id: string, body: object): Promise<Data> {
  const response = await callStorage(id, body);
  return ((await response.json()) as { body: { data: Data } }).body.data;
}

/** Requests a grant, and returns what to send with it: a form whose fields may be changed. */
export async function prepareUpload(
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  { type = 'text/plain', ...changes }: { type?: string } & Record<string, string | undefined> = {},
) {
  type Grant = Record<'url' | 'authorization' | 'token' | 'storeFileID' | 'fileID', string>;
  const grant = await dataOf<Grant>('getUploadMetaData', { path });
  const fields: Record<string, string | undefined> = {
    Signature: grant.authorization,
    'x-store-security-token': grant.token,
    'x-store-meta-fileid': grant.storeFileID,
    key: path,
    ...changes,
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, value);
  }
  form.append('file', new Blob([content], { type }), 'a');
  const encoded = new Response(form);
  const headers = { 'content-type': String(encoded.headers.get('content-type')) };
  const init = { method: 'POST', headers, body: await encoded.arrayBuffer() };
  return { fileID: grant.fileID, url: grant.url, init };
}

/** Uploads a file in two steps, and returns its file ID and the response of the target. */
export async function upload(...given: Parameters<typeof prepareUpload>) {
  const { fileID, url, init } = await prepareUpload(...given);
  return { fileID, response: await fetch(url, init) };
}

export async function linkTo(fileID: string, maxAge = 60): Promise<string> {
  const fileList = [{ fileID, maxAge }];
  const data = await dataOf<{ fileList: [{ tempFileURL: string }] }>('batchGetTempUrls', {
    fileList,
  });
  return data.fileList[0].tempFileURL;
}
