import { mswHandlers, routes } from '@berth/mock/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import * as client from '../../../storage/test/support/client.ts';

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

const SERVER = { base: BASE };

/** Returns the `data` of a storage call. */
export const dataOf = async (id: string, body: object) =>
  (await client.call(SERVER, id, body)).data;

/** Requests a grant, and returns it with the fields of its form. */
export async function prepareUpload(path: string) {
  const grant = await client.grant(SERVER, path);
  return { ...grant, fields: client.toFields(path, grant) };
}

/** Uploads a file in two steps, and returns its file ID and the response of the target. */
export async function upload(
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  { type, ...changes }: Record<string, string> = {},
) {
  const { fileID, url, fields } = await prepareUpload(path);
  return { fileID, response: await client.post(url, { ...fields, ...changes }, content, type) };
}

export const linkTo = (fileID: string) => client.link(SERVER, fileID, 60);
