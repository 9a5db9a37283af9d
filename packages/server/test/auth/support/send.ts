import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any answer
  readonly json: any;
}

/** Sends a request whose path and `Host` stay as given, which `fetch` does not allow. */
export async function send(base: string, path: string, sent: Sent = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body = '' } = sent;
  const { hostname, port } = new URL(base);
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request({
    hostname,
    port,
    path,
    method,
    headers: { ...length, ...headers } as never,
    agent: false,
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, json: await json(response) };
}
