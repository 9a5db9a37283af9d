import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { toResponse } from '@berth/server-stubs/contract';

interface Refusal {
  readonly status: number;
  readonly message: string;
}

const MALFORMED: Refusal = { status: 400, message: 'The request is not valid HTTP.' };

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line and headers are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
};

/** Placeholder for a request that could not be parsed. */
const UNPARSED_REQUEST = { method: 'GET', headers: {} } as IncomingMessage;

/** Rejects a request that Node could not parse, in the contract's error format (D6). */
export function refuseClientError(code: string | undefined, socket: Duplex): void {
  refuse(socket, REFUSALS[code ?? ''] ?? MALFORMED);
}

/** A client that sends fewer bytes of a body within the time of the watch is too slow. */
const SLOW_BYTES = 1024;

/**
 * Disconnects clients that send hardly anything of a body within this time, and clients that read nothing of what is
 * sent to them. A limit on the total time, such as Node's `requestTimeout`, would abort long uploads. Node's socket
 * timeout would end idle streams, and a client could reset it by sending a byte now and then.
 */
export function createStallWatch(seconds: number) {
  const bodies = new Map<
    IncomingMessage,
    { response: ServerResponse; since: number; bytes: number }
  >();
  const connections = new Map<Socket, { since: number; taken: number; queued: number }>();

  function checkBodies(now: number): void {
    for (const [request, entry] of bodies) {
      if (now - entry.since < seconds * 1000) continue;
      const total = request.socket.bytesRead;
      const isSlow = total - entry.bytes < SLOW_BYTES && !isHeldUp(request);
      entry.since = now;
      entry.bytes = total;
      if (!isSlow) continue;
      bodies.delete(request);
      const message = 'The request body arrived too slowly.';
      if (entry.response.headersSent) request.socket.destroy();
      else refuse(request.socket, { status: 408, message });
    }
  }

  function checkConnections(now: number): void {
    for (const [socket, entry] of connections) {
      const pending = socket.writableLength;
      const taken = socket.bytesWritten - pending;
      const queued = queuedOf(socket);
      if (pending === 0 || taken !== entry.taken || queued !== entry.queued) {
        Object.assign(entry, { since: now, taken, queued });
      } else if (now - entry.since >= seconds * 1000) {
        socket.destroy();
      }
    }
  }

  const check = () => {
    const now = performance.now();
    checkBodies(now);
    checkConnections(now);
  };
  // Several times in the period.
  const timer =
    seconds > 0 ? setInterval(check, Math.min(seconds * 250, 5_000)).unref() : undefined;
  return {
    addBody(request: IncomingMessage, response: ServerResponse): void {
      const { headers, socket } = request;
      if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return;
      bodies.set(request, { response, since: performance.now(), bytes: socket.bytesRead });
      const forget = () => bodies.delete(request);
      request.once('end', forget).once('close', forget);
    },
    addConnection(socket: Socket): void {
      connections.set(socket, { since: performance.now(), taken: 0, queued: 0 });
      socket.once('close', () => connections.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}

/** Returns whether this side has stopped reading: the client cannot send more than is read. */
function isHeldUp(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}

/** Returns the rest of the current write, by which Node's own timeouts also detect progress. */
function queuedOf(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0;
}

function refuse(socket: Duplex, { status, message }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const error = new GatewayError('INVALID_REQUEST', { status, message });
  const response = error[toResponse]({ request: UNPARSED_REQUEST, requestId: randomUUID() });
  const body = JSON.stringify(response.body);
  const headers = {
    ...response.headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    date: new Date().toUTCString(),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
}
