import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ContractError,
  GatewayError,
  type HandlerResponse,
  isResponding,
  toResponse,
} from '@berth/server-stubs';
import { INVALID, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { RecordedRequest } from '../session/call-record.ts';

/** Listeners for an HTTP server's events. */
export interface Application {
  readonly request: RequestListener;
  readonly checkContinue: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

/** The last response on a connection. */
const LATEST = Symbol('last response');

/** Time limit for a TLS handshake. */
const HANDSHAKE_MS = 10_000;

type RespondingSocket = Duplex & { [LATEST]?: ServerResponse };

/** A private key and a certificate in PEM format. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Creates the server and connects its events to an application.
 *
 * @param application returns the current application, which a hot reload replaces
 * @param certificate undefined for HTTP
 */
export async function createHttpServer(
  application: () => Application,
  certificate: Certificate | undefined,
): Promise<Server> {
  const options: ServerOptions<typeof RecordedRequest> = {
    IncomingMessage: RecordedRequest,
    // The gateway rejects a missing Host in its own format.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => application().shouldUpgrade(request),
  };
  const server =
    certificate === undefined
      ? createServer(options)
      : (await import('node:https'))
          .createServer({ ...options, ...certificate, handshakeTimeout: HANDSHAKE_MS })
          // Node also reports it as a `clientError`, but `end` would wait for the handshake indefinitely.
          .on('tlsClientError', (_error, socket) => socket.destroy());
  server
    .on('request', (request, response) => {
      (request.socket as RespondingSocket)[LATEST] = response;
      application().request(request, response);
    })
    .on('checkContinue', (request, response) => {
      (request.socket as RespondingSocket)[LATEST] = response;
      application().checkContinue(request, response);
    })
    // RFC 9110, section 10.1.1 allows a server to ignore an unknown expectation.
    .on('checkExpectation', (request, response) => {
      (request.socket as RespondingSocket)[LATEST] = response;
      application().request(request, response);
    })
    // Both events come with sockets without an error listener; a client that disconnects must not end the
    // process.
    .on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      if (isResponding(socket)) socket.destroy();
      else application().upgrade(request, socket, head);
    })
    .on('connect', (_request, socket) => {
      socket.on('error', () => {});
      respondToConnect(socket);
    })
    .on('clientError', (error, socket) =>
      respondToBrokenRequest(error, socket, (socket as RespondingSocket)[LATEST]),
    );
  return server as Server;
}

/** Responds to CONNECT, for which Node creates no response. */
function respondToConnect(socket: Duplex): void {
  const headers = { allow: 'GET, HEAD, POST, OPTIONS' };
  const message = 'The mock is not a proxy.';
  writeRaw(socket, new GatewayError('METHOD_NOT_ALLOWED', { message, headers }));
}

/** Placeholder for a request that could not be parsed. */
const UNREAD = { method: 'GET', headers: {} } as IncomingMessage;

function writeRaw(socket: Duplex, error: GatewayError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = toResponseOf(error, UNREAD, '/');
  const text = JSON.stringify(body);
  const all = { ...headers, 'content-length': Buffer.byteLength(text), connection: 'close' };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
}

function toResponseOf(
  error: ContractError,
  request: IncomingMessage,
  rawPath: string,
): HandlerResponse {
  const call = { request, requestId: randomUUID(), rawPath };
  return (error as GatewayError)[toResponse](call);
}

function respondToBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  response: ServerResponse | undefined,
): void {
  if (response === undefined || !socket.writable) {
    respondUnread(error, socket);
  } else if (response.req.complete) {
    // The broken data follows a complete request, whose response comes first.
    if (response.writableFinished) respondUnread(error, socket);
    else response.once('finish', () => respondUnread(error, socket));
  } else if (response.headersSent) {
    // The request was rejected before its end; there is nothing more to send.
    response.end();
  } else {
    respondToBrokenBody(error, response);
    // Node discards a request after its response, so waiting for the rest would never end.
    socket.once('close', () => response.req.destroy());
  }
}

/** Maps a Node parse error to a status (RFC 9110, RFC 6585) and a message. */
interface Defect {
  readonly status: number;
  readonly message: string;
}

const MALFORMED: Defect = { status: 400, message: 'The request is not valid HTTP.' };

const DEFECTS: Readonly<Record<string, Defect>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
};

/**
 * Responds on a connection whose request could not be parsed: invalid syntax, headers that are too large, or
 * a timeout. The surface is unknown, so the gateway's error format is used.
 */
function respondUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  writeRaw(socket, new GatewayError(INVALID.gateway, DEFECTS[error.code ?? ''] ?? MALFORMED));
}

/** Responds to a request whose body was truncated, in its surface's error format. */
function respondToBrokenBody(error: NodeJS.ErrnoException, response: ServerResponse): void {
  const { req: request } = response;
  const surface = (request as RecordedRequest).record?.surface ?? 'gateway';
  const defect = DEFECTS[error.code ?? ''] ?? MALFORMED;
  refuse(toRefusal(surface, INVALID[surface], defect), response);
}

function refuse(refusal: ContractError, response: ServerResponse): void {
  const { req: request } = response;
  const { status, headers = {}, body } = toResponseOf(refusal, request, request.url ?? '/');
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  if (typeof body !== 'string') response.setHeader('content-type', 'application/json');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status, { connection: 'close' }).end(text);
}

const FAILED: Readonly<Record<SurfaceName, string>> = {
  gateway: 'SYS_ERR',
  storage: 'SYS_ERR',
  upload: 'InternalError',
  link: 'InternalError',
};

/** Ends a request after an internal error, in its surface's error format. */
export function respondToFailure(
  error: Error,
  surface: SurfaceName,
  response: ServerResponse,
): void {
  process.emitWarning(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const message = 'Internal error in the mock: see its warnings for details.';
  refuse(toRefusal(surface, FAILED[surface], { status: 500, message }), response);
}
