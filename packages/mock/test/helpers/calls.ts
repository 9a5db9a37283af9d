import type { OutgoingHttpHeaders } from 'node:http';
import { type Received, type Sent, send } from '../../../server-stubs/test/support/send.ts';

export interface CallOptions extends Omit<Sent, 'headers'> {
  /** Path and query as sent. */
  path: string;
  headers?: OutgoingHttpHeaders;
}

export interface Reply extends Received {
  /** The parsed JSON body; undefined for another content type. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
  json: any;
}

/** Sends one request to a mock. */
export const call = ({ url }: { url: string }, { path, ...sent }: CallOptions): Promise<Reply> =>
  send(url, path, sent);

/** Credentials of any well-formed kind. */
export const BEARER = { authorization: 'Bearer any' };
export const STORAGE_HEADERS = {
  'x-svc-authorization': '1.0 any',
  'x-svc-sessiontoken': '',
  'x-svc-timestamp': '1700000000',
  'content-type': 'application/json',
};

/** Calls the gateway with credentials. */
export function gateway(mock: { url: string }, options: CallOptions): Promise<Reply> {
  return call(mock, { ...options, headers: { ...BEARER, ...options.headers } });
}

/** Calls a storage operation of the `dev` environment with credentials. */
export function storage(
  mock: { url: string },
  operation: string,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<Reply> {
  return call(mock, {
    method: 'POST',
    path: `/api/v2/envs/dev/storages:${operation}`,
    headers: { ...STORAGE_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Calls the control API. */
export async function control(
  mock: { url: string },
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: OutgoingHttpHeaders } = {},
): Promise<Reply> {
  const reply = await call(mock, {
    method,
    path: `/__mock/${path}`,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const isJson = reply.headers['content-type']?.endsWith('json') === true && reply.text !== '';
  return { ...reply, json: isJson ? JSON.parse(reply.text) : undefined };
}
