import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError, toAnswer } from '@berth/server-stubs';

interface Refusal {
  readonly status: number;
  readonly message: string;
}

const MALFORMED: Refusal = { status: 400, message: 'The request is no valid HTTP.' };

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The head of the request is too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
};

/** What stands for a request that could not be read. */
const UNREAD = { method: 'GET', headers: {} } as IncomingMessage;

/** Refuses a request that Node could not read, in the error shape of the contract (D6). */
export function answerClientError(code: string | undefined, socket: Duplex): void {
  refuse(socket, REFUSALS[code ?? ''] ?? MALFORMED);
}

/** Refuses a request whose body does not come. */
export function answerSlowBody(socket: Duplex): void {
  refuse(socket, { status: 408, message: 'The body of the request came too slowly.' });
}

function refuse(socket: Duplex, { status, message }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const error = new GatewayError('INVALID_REQUEST', { status, message });
  const answer = error[toAnswer]({ request: UNREAD, requestId: randomUUID() });
  const body = JSON.stringify(answer.body);
  const headers = {
    ...answer.headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    date: new Date().toUTCString(),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
}
