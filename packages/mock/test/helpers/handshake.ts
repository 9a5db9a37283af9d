import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';

/** The headers of a request for a WebSocket, with credentials of any kind. */
export const HANDSHAKE = {
  authorization: 'Bearer any',
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
  const [response] = (await Promise.race([
    once(outgoing, 'response'),
    once(outgoing, 'upgrade'),
  ])) as [IncomingMessage];
  if (response.statusCode === 101) response.socket.destroy();
  else response.resume();
  return response;
}
