import { type IncomingMessage, request as requestHttp } from 'node:http';
import type { Socket } from 'node:net';
import { type Hooks, MutatedResponse, toHeaders, toRequest, toResponse } from './messages.ts';
import { relayFrames } from './relay-frames.ts';

/** Relays a WebSocket handshake, and then the data in both directions. Applies the hooks. */
export async function relayUpgrade(
  target: string,
  hooks: Hooks,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const request = toRequest(incoming);
  const refusal = await hooks.upgrade?.(request);
  if (refusal instanceof MutatedResponse) return endWith(refusal, socket);
  socket.on('error', () => {});
  const { hostname, port } = new URL(target);
  const call = requestHttp({
    ...{ hostname, port, method: 'GET', path: request.target, agent: false },
    headers: request.headers.list.flat(),
  });
  call.once('error', () => socket.destroy());
  call.once('response', async (message) => {
    const response = await toResponse(message);
    await hooks.response?.(response, request);
    endWith(response, socket);
  });
  call.once('upgrade', async (message, upstream: Socket, rest) => {
    const response = new MutatedResponse(101, toHeaders(message));
    await hooks.upgraded?.(response, request);
    socket.write(toHead(response));
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    if (hooks.frames || hooks.joined) return relayFrames(hooks, socket, upstream, head, rest);
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  call.end();
}

function endWith(response: MutatedResponse, socket: Socket): void {
  response.headers.remove('transfer-encoding');
  response.headers.set('Content-Length', String(response.body.length));
  response.headers.set('Connection', 'close');
  socket.end(Buffer.concat([Buffer.from(toHead(response)), response.body]));
}

function toHead({ status, headers }: MutatedResponse): string {
  const lines = headers.list.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Refused'}\r\n${lines}\r\n`;
}
