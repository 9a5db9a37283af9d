import { type IncomingHttpHeaders, request } from 'node:http';

export interface ReceivedResponse {
  status: number;
  /** The reason phrase after the status. */
  reason: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  text: string;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Calls a URL over `node:http`, which sends path, query and `Host` unchanged. */
export function call(url: string, { method = 'GET', headers = {}, body }: Call = {}) {
  const [, origin = '', path = '/'] = /^(http:\/\/[^/]+)(\/.*)?$/.exec(url) ?? [];
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
  const { hostname, port } = new URL(origin);
  const length = body ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const options = { hostname, port, path, method, headers: { ...length, ...headers } };
  const sent = request({ ...options, agent: false }, async (response) => {
    const { statusCode: status = 0, statusMessage: reason = '', headers, rawHeaders } = response;
    try {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status, reason, headers, rawHeaders, text });
    } catch (error) {
      reject(error);
    }
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
