import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';

/** The part of a response that arrived before the connection was lost. */
export interface Cut {
  /** Undefined if no response began. */
  status: number | undefined;
  contentLength: string | undefined;
  bytes: Buffer;
  /** Code of the error; undefined if the response was complete. */
  error: string | undefined;
}

export interface CutOptions {
  path: string;
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** Makes a call whose connection may be lost. */
export async function callUntilCut(
  { url }: { url: string },
  { path, method = 'GET', headers = {}, body = '' }: CutOptions,
): Promise<Cut> {
  const outgoing = request(url, { method, path, headers, agent: false });
  const cut: Cut = {
    status: undefined,
    contentLength: undefined,
    bytes: Buffer.alloc(0),
    error: undefined,
  };
  // A reset also emits an error on the request, after its response has begun.
  outgoing.on('error', () => {});
  try {
    const received = once(outgoing, 'response');
    outgoing.end(body);
    const [response] = (await received) as [IncomingMessage];
    cut.status = response.statusCode;
    cut.contentLength = response.headers['content-length'];
    for await (const chunk of response) cut.bytes = Buffer.concat([cut.bytes, chunk]);
  } catch (error) {
    cut.error = (error as NodeJS.ErrnoException).code;
  }
  return cut;
}
