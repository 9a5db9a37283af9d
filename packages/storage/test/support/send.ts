import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  readonly json: unknown;
}

/** Sends a request with an unchanged path and `Host`, which `fetch` does not allow. */
export async function send(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<Received> {
  const { hostname, port } = new URL(base);
  const outgoing = request({ hostname, port, path, method, headers: { ...headers } as never });
  const responded = once(outgoing, 'response');
  // A rejected body may be aborted; only the response matters.
  outgoing.on('error', () => {});
  await write(outgoing, body);
  const [response] = (await responded) as [IncomingMessage];
  const received = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    text: received,
    json: isJson && received !== '' ? JSON.parse(received) : undefined,
  };
}

async function write(outgoing: NodeJS.WritableStream, body: Sent['body']): Promise<void> {
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    for await (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  } else if (body === undefined) {
    outgoing.end();
  } else {
    outgoing.end(body);
  }
}
