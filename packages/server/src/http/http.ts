import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { GatewayError } from '@berth/server-stubs';
import { CORS, type Cors, countHosts, isLoopback, toResponse } from '@berth/server-stubs/contract';
import { toUpgradeOptions } from '@berth/server-stubs/runtime';
import type { Config } from '../config/config.ts';
import { CallerRequest } from '../observe/calls.ts';
import { CallerConnection } from './caller-connection.ts';

/** How often Node checks, at least, for connections whose headers have not arrived. */
const HEADER_CHECK_MILLISECONDS = 1_000;

const MAX_HEADERS = 200;

/**
 * Maximum number of requests that a connection may have open. Node parses all requests of a chunk at once, whether their
 * responses can be sent or not: 64 KiB of short ones take 9 MB.
 */
const MAX_PIPELINED = 64;

/** While it drains: how often the server looks for what can be closed, and when it closes unused connections. */
const DRAIN_CHECK_MILLISECONDS = 20;
const UNUSED_MILLISECONDS = 1_000;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a reload replaces: the routers of the four surfaces. Calls in flight keep their router. */
export interface Application {
  readonly request: Listener;
  readonly checkContinue: Listener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
  /** For refusals, so that pages can read them. */
  readonly cors: Cors;
}

type Listen = Config['listen'];

/** Creates the server for callers. It limits the resources that slow, silent or broken callers can tie up. */
export function createHttpServer(listen: Listen, first: Application) {
  let application = first;
  let state: 'serving' | 'draining' = 'serving';
  /** All TCP connections, including those whose TLS handshake is not complete. */
  const sockets = new Set<Socket>();
  const connections = new Map<Duplex, CallerConnection>();

  const headersTimeout = Math.ceil(listen.headersSeconds * 1000);
  const options: ServerOptions = {
    IncomingMessage: CallerRequest,
    headersTimeout,
    // A body may take any time as long as bytes arrive: see `CallerConnection`.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(Math.ceil(headersTimeout / 4), HEADER_CHECK_MILLISECONDS),
    keepAliveTimeout: Math.ceil(listen.keepAliveSeconds * 1000),
    maxHeaderSize: listen.maxHeaderBytes,
    // The routers reject it in the contract's error format.
    requireHostHeader: false,
    noDelay: true,
    ...toUpgradeOptions((request) => application.shouldUpgrade(request)),
  };
  const server =
    listen.tls === undefined
      ? createServer(options)
      : createTlsServer({
          ...options,
          ...toTlsOptions(listen.tls),
          handshakeTimeout: headersTimeout,
        });
  server.maxHeadersCount = MAX_HEADERS;
  if (listen.maxConnections !== undefined) server.maxConnections = listen.maxConnections;

  server
    .on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    })
    .on(listen.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      const connection = new CallerConnection(socket);
      connections.set(socket, connection);
      // After an upgrade or a CONNECT, Node handles no errors: one would end the process.
      socket.on('error', () => {});
      socket.once('close', () => {
        connections.delete(socket);
        connection.close();
      });
    })
    .on('request', serve)
    .on('checkContinue', (request, response) => {
      if (accept(request, response)) application.checkContinue(request, response);
    })
    // RFC 9110, section 10.1.1: a server may ignore expectations other than 100-continue.
    .on('checkExpectation', serve)
    .on('upgrade', (request, socket, head) => {
      if (accept(request)) application.upgrade(request, socket, head);
    })
    .on('connect', (request, socket) => {
      if (accept(request)) refuseNext(socket, NO_TUNNELS);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      refuseNext(socket, REFUSALS[error.code ?? ''] ?? MALFORMED);
    })
    // Node also reports it as a `clientError`, but no refusal can be sent without a handshake: `end`
    // would wait for one indefinitely.
    .on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (accept(request, response)) application.request(request, response);
  }

  /** Returns whether a request is to be served. Otherwise, it has been refused. */
  function accept(request: IncomingMessage, response?: ServerResponse): boolean {
    const { socket } = request;
    // An earlier request of the same chunk may have been refused.
    if (!socket.writable) return false;
    const refusal = findFramingFault(request);
    if (refusal !== undefined) {
      refuseNext(socket, refusal, request);
      return false;
    }
    const connection = connections.get(socket);
    connection?.receive(request, response);
    if (connection !== undefined && connection.openResponses > MAX_PIPELINED) {
      socket.destroy();
      return false;
    }
    if (response !== undefined && state === 'draining') response.shouldKeepAlive = false;
    return true;
  }

  /** Refuses a request that was not accepted, or what comes after the last one that was. */
  function refuseNext(socket: Duplex, refusal: GatewayError, request?: IncomingMessage): void {
    const connection = connections.get(socket);
    const { origin } = (request ?? connection?.request)?.headers ?? {};
    const mayRefuse = connection?.mayRefuse() ?? true;
    if (mayRefuse) refuse(socket, refusal, application.cors.response(origin));
    else socket.destroy();
  }

  const limit = listen.stalledSeconds * 1000;
  let watch: NodeJS.Timeout | undefined;

  function endStalled(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      const stall = limit > 0 ? connection.findStall(now, limit) : undefined;
      if (stall === undefined) continue;
      if (stall === 'slow-body') refuseNext(socket, TOO_SLOW);
      else socket.destroy();
    }
  }

  return {
    get port(): number {
      return (server.address() as AddressInfo).port;
    },
    countConnections: (): Promise<number> => promisify(server.getConnections.bind(server))(),
    async listen(): Promise<void> {
      const { host, port, reusePort } = listen;
      await once(server.listen({ host, port, reusePort }), 'listening');
      watch = setInterval(endStalled, Math.min(limit / 4 || 5_000, 5_000)).unref();
    },
    /** Applies another application to the requests that follow, and another certificate to connections. */
    update({ tls }: Listen, next: Application): void {
      application = next;
      if (tls !== undefined) (server as TlsServer).setSecureContext(toTlsOptions(tls));
    },
    beginDrain(): void {
      state = 'draining';
    },
    /**
     * Accepts no more connections, and closes those that are not used. WebSockets do not end by themselves, so they are
     * closed as soon as no call is in flight. Returns the number of calls that were aborted when time was up.
     */
    async drain(seconds: number, calls: { readonly active: number }, closeWebSockets: () => void) {
      const startedAt = performance.now();
      let isClosed = false;
      let aborted = 0;
      server.close(() => {
        isClosed = true;
      });
      while (!isClosed) {
        const elapsed = performance.now() - startedAt;
        const isLate = elapsed >= seconds * 1000;
        server.closeIdleConnections();
        if (calls.active === 0 || isLate) closeWebSockets();
        if (isLate) {
          aborted = Math.max(aborted, calls.active);
          for (const socket of [...connections.keys(), ...sockets]) socket.destroy();
        } else if (elapsed >= UNUSED_MILLISECONDS) {
          // Before version 26, Node does not count them as idle. A new one may have a request on its way.
          for (const [socket, { request }] of connections) if (!request) socket.destroy();
        }
        await wait(DRAIN_CHECK_MILLISECONDS);
      }
      clearInterval(watch);
      return aborted;
    },
  };
}

function toTlsOptions({ cert, key }: NonNullable<Listen['tls']>) {
  return { cert, key, minVersion: 'TLSv1.2' } as const;
}

const badRequest = (status: number, message: string) =>
  new GatewayError('INVALID_REQUEST', { status, message });

const MALFORMED = badRequest(400, 'The request is not valid HTTP.');
const TOO_LARGE = badRequest(431, 'The request line and headers are too large.');
const TOO_SLOW = badRequest(408, 'The request body arrived too slowly.');

const UNKNOWN_CODING = badRequest(400, 'The only supported Transfer-Encoding is chunked.');
const BAD_HOST = new GatewayError('INVALID_HOST', {
  message: 'The Host header is missing or duplicated.',
});

/** D11: "any other method gets a 405 with the error body". Node has no response for this one. */
const NO_TUNNELS = new GatewayError('METHOD_NOT_ALLOWED', {
  message: 'CONNECT is not supported.',
  headers: { allow: CORS.allowMethods.gateway.join(', ') },
});

const REFUSALS: Readonly<Record<string, GatewayError>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: badRequest(413, 'The chunk extensions are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: badRequest(408, 'The request took too long to arrive.'),
};

/**
 * Finds what Node accepts and HTTP or the contract does not. RFC 9112, section 6.1: "A server … that receives an
 * HTTP/1.0 message containing a Transfer-Encoding header field MUST treat the message as if the framing is faulty": an
 * HTTP/1.0 proxy would find its end elsewhere. Only HTTP/1 is supported here, although Node accepts `HTTP/2.0`.
 */
function findFramingFault(request: IncomingMessage): GatewayError | undefined {
  // Before Node 24, excess headers were only dropped from `headers`, and still forwarded.
  if (request.rawHeaders.length > MAX_HEADERS * 2) return TOO_LARGE;
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  const coding = headers['transfer-encoding'];
  if (httpVersionMajor !== 1) return MALFORMED;
  if (httpVersionMinor === 0 && coding !== undefined) return MALFORMED;
  // Only the chunks are decoded here, and a service would not learn about the other coding.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return UNKNOWN_CODING;
  // RFC 9112, section 3.2: a request without `Host`, or with several, "MUST" be refused.
  const hosts = countHosts(request);
  return hosts > 1 || (hosts === 0 && httpVersionMinor === 1) ? BAD_HOST : undefined;
}

const UNPARSED_REQUEST = { method: 'GET', headers: {} } as IncomingMessage;

/** Sends a refusal in the contract's error format, and closes the connection. */
function refuse(socket: Duplex, refusal: GatewayError, cors: ReturnType<Cors['response']>): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const response = refusal[toResponse]({ request: UNPARSED_REQUEST, requestId: randomUUID() });
  const body = JSON.stringify(response.body);
  const headers = {
    ...response.headers,
    ...cors,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    date: new Date().toUTCString(),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = refusal;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
}

/**
 * Returns the URL of this server as a caller sees it. A link leads to the host in its URL, so `Host` is trusted only
 * if it names this machine. Otherwise, the URL contains the address that the caller connected to.
 */
export function toRequestUrl({ headers, socket }: IncomingMessage): string {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  const url = URL.parse(`${scheme}://${headers.host}`);
  if (url && (isLoopback(url.hostname) || url.hostname.endsWith('.localhost'))) return url.origin;
  return toUrl(scheme, socket.localAddress ?? '127.0.0.1', socket.localPort ?? 0);
}

export function toUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
