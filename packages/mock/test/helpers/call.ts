import { once } from 'node:events';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface CallOptions {
  method?: string;
  /** Raw path and query: `node:http` sends it unchanged, while `fetch` would normalize it. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** The parsed JSON body; undefined for another content type. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
  json: any;
}

/** Sends one request over `node:http`. */
export async function call(
  { url }: { url: string },
  { method = 'GET', path, headers = {}, body = '' }: CallOptions,
): Promise<Reply> {
  const outgoing = request(url, { method, path, headers, agent: false });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  // A server that has responded need not read the rest of a body (RFC 9112, section 9.6).
  outgoing.on('error', () => {});
  const bytes = await buffer(response);
  const text = bytes.toString();
  const isJson = response.headers['content-type'] === 'application/json' && text !== '';
  const json = isJson ? JSON.parse(text) : undefined;
  return { status: response.statusCode, headers: response.headers, bytes, text, json };
}
