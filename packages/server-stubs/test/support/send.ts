import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

/** Sends a request with an unchanged path and `Host`, which `fetch` does not allow. */
export async function send(base: string, path: string, sent?: Sent): Promise<Received> {
  const response = await begin(base, path, sent);
  const received = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: received,
    json: isJson && received !== '' ? JSON.parse(received) : undefined,
  };
}

/** Sends a request, and returns the response as soon as it has begun. */
export async function begin(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Sent = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(base);
  const outgoing = request({ hostname, port, path, method, headers: { ...headers } as never });
  // A rejected body may be aborted; only the response matters.
  outgoing.on('error', () => {});
  const responded = once(outgoing, 'response');
  if (typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body);
  else
    Readable.from(body)
      .on('error', () => outgoing.destroy())
      .pipe(outgoing);
  const [response] = (await responded) as [IncomingMessage];
  return response;
}
