import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { begin } from '../../../server-stubs/test/support/send.ts';
import { BEARER, type CallOptions } from './calls.ts';

/** Sends raw bytes, and nothing after them, and reads until the mock closes the connection. */
export async function sendRaw({ port }: { port: number }, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.setEncoding('latin1').on('data', (text) => {
    reply += text;
  });
  socket.end(bytes, 'latin1');
  await once(socket, 'close');
  return reply;
}

/**
 * Makes a call whose connection may be lost. Returns what arrived until then, and the code of the error, if there was
 * one.
 */
export async function callUntilCut({ url }: { url: string }, { path, ...sent }: CallOptions) {
  const cut = {
    status: undefined as number | undefined,
    contentLength: undefined as string | undefined,
    bytes: Buffer.alloc(0),
    error: undefined as string | undefined,
  };
  try {
    const response = await begin(url, path, sent);
    cut.status = response.statusCode;
    cut.contentLength = response.headers['content-length'];
    for await (const chunk of response) cut.bytes = Buffer.concat([cut.bytes, chunk]);
  } catch (error) {
    cut.error = (error as NodeJS.ErrnoException).code;
  }
  return cut;
}

/** Sends a body of 5 bytes, `rest` only after the response. If it is not complete, the mock closes the connection. */
export async function postInParts(
  { port }: { port: number },
  path: string,
  rest: string,
): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n`;
  socket.write(`${head}Authorization: ${BEARER.authorization}\r\n\r\na`);
  const [reply] = (await once(socket, 'data')) as [string];
  if (rest !== '') socket.end(rest);
  await once(socket, 'close');
  return reply;
}

/** The headers of a request for a WebSocket, with credentials of any kind. */
export const HANDSHAKE = {
  authorization: BEARER.authorization,
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** Asks for a WebSocket, and returns the response: 101 if it has opened. */
export async function askForWebSocket(
  url: string,
  headers: OutgoingHttpHeaders = {},
): Promise<IncomingMessage> {
  const outgoing = request(url, { agent: false, headers: { ...HANDSHAKE, ...headers } }).end();
  const responses = ['response', 'upgrade'].map((event) => once(outgoing, event));
  const [response] = (await Promise.race(responses)) as [IncomingMessage];
  if (response.statusCode === 101) response.socket.destroy();
  else response.resume();
  return response;
}
