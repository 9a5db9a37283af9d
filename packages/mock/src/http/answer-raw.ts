import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toGatewayError } from '../gateway/gateway-error.ts';
import { Refusal } from '../refusal.ts';
import { describeFault } from './describe-fault.ts';

/**
 * Answers a connection on which Node could read no request: broken syntax, too many header bytes, or
 * nothing for too long. Which surface was meant is not known, so the gateway's error shape is used.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { status, message } = describeFault(error);
  write(socket, new Refusal('INVALID_REQUEST', message, { status }));
}

/** Answers CONNECT, for which Node makes no response. */
export function answerConnect(socket: Duplex): void {
  const headers = { allow: 'GET, HEAD, POST, OPTIONS' };
  write(socket, new Refusal('METHOD_NOT_ALLOWED', 'The mock is no proxy.', { headers }));
}

function write(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  const requestId = randomUUID();
  const { status, headers, body = '' } = toGatewayError(refusal, { requestId });
  const all = {
    ...headers,
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}
