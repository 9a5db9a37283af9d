import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/**
 * Sends raw bytes, and reads until the mock closes the connection.
 *
 * @param then sent once the mock has begun to respond; `end` stops sending immediately instead
 */
export async function sendRaw(
  { port }: { port: number },
  bytes: string,
  then?: 'end' | (string & {}),
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.setEncoding('latin1').on('data', (text) => {
    reply += text;
  });
  socket.write(bytes, 'latin1');
  if (then === 'end') socket.end();
  else if (then !== undefined) socket.once('data', () => socket.write(then, 'latin1'));
  await once(socket, 'close');
  return reply;
}

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
