import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { BEARER } from './start-gateway.ts';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  /** Of an error of the gateway. */
  readonly code: string | undefined;
}

/** Calls as `ada`; path and `Host` stay as given, which `fetch` does not allow. */
export async function send(base: string, path: string, sent: Sent = {}): Promise<Received> {
  const response = await begin(base, path, sent);
  const bytes = await buffer(response);
  const text = bytes.toString();
  const isOwn = response.headers['x-svc-upstream-status-code'] === undefined;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    bytes,
    text,
    code: isOwn && text.startsWith('{') ? JSON.parse(text).code : undefined,
  };
}

/** Calls, and gives the answer as soon as it has begun. */
export async function begin(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(base);
  const all = { authorization: BEARER, ...headers };
  const outgoing = request({ hostname, port, path, method, headers: all as never });
  const answered = once(outgoing, 'response');
  answered.catch(() => {});
  outgoing.on('error', () => {});
  if (typeof body === 'string' || body instanceof Uint8Array || body === undefined) {
    outgoing.end(body);
  } else {
    for await (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
  const [response] = (await answered) as [IncomingMessage];
  return response;
}
