import { type IncomingMessage, request, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawHeaders } from '../http/listen.ts';
import type { Authorized } from './authorize.ts';
import { toResponseHeaders, toServiceHeaders } from './forward.ts';
import type { RefusalCode } from './refusals.ts';

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/**
 * Forwards a WebSocket handshake, and then the bytes in both directions, including text, binary, subprotocol
 * and close codes (D14).
 */
export function upgrade(
  { service, path }: Authorized,
  call: { request: IncomingMessage; id: string; socket: Duplex; head: Buffer },
  refuse: (code: RefusalCode) => void,
): void {
  const { socket } = call;
  const headers = [...toServiceHeaders(call.request, service, Buffer.alloc(0)), ...UPGRADE];
  const { hostname: host, port } = service;
  const upstream = request({ host, port, path, headers, agent: false });
  const giveUp = () => upstream.destroy();
  socket.on('close', giveUp);
  upstream.on('upgrade', (response, other, otherHead) => {
    socket.off('close', giveUp);
    const sent = toResponseHeaders(response, call.id, []);
    socket.write(toHead(response, [...sent, ...UPGRADE]), 'latin1');
    if (otherHead.length > 0) socket.write(otherHead);
    if (call.head.length > 0) other.write(call.head);
    join(socket, other);
  });
  // "WebSocket requests are exempt from C1 and C2", even if the service rejects them.
  upstream.on('response', (response) => {
    const sent = toResponseHeaders(response, call.id, []);
    socket.write(toHead(response, [...sent, 'Connection', 'close']), 'latin1');
    response.pipe(socket);
    response.on('error', () => socket.destroy());
  });
  upstream.on('error', () => refuse('UPSTREAM_BROKEN'));
  upstream.end();
}

function toHead({ statusCode = 0, statusMessage }: IncomingMessage, headers: RawHeaders): string {
  const first = `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode]}\r\n`;
  const lines = headers.flatMap((name, at) => (at % 2 ? [] : `${name}: ${headers[at + 1]}\r\n`));
  return `${first}${lines.join('')}\r\n`;
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.end());
  }
}
