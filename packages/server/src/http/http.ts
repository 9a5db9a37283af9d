import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, isIPv6, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { toUpgradeOptions } from '@berth/server-stubs';
import { isLoopback } from '@berth/server-stubs/contract';
import type { Config } from '../config/config.ts';
import { CallerRequest } from './call-record.ts';
import { CallerConnection } from './caller-connection.ts';
import { MAX_HEADERS, type Refusals, toRefusal } from './refusal.ts';

/** How often Node checks, at least, for connections whose headers have not arrived. */
const HEADER_CHECK_MILLISECONDS = 1_000;

/** While draining: how often to check for connections that can be closed, and when unused ones are. */
const DRAIN_CHECK_MILLISECONDS = 20;
const UNUSED_MILLISECONDS = 1_000;

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Of all applications that a reload has replaced, and the current one. */
export interface InFlight {
  calls: number;
  /** The callers' sides of the open WebSockets. */
  readonly webSockets: Set<Duplex>;
}

/** The routers of the four surfaces, which a reload replaces. Calls in flight keep their router. */
export interface Application extends Refusals {
  readonly request: Listener;
  readonly checkContinue: Listener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

type Listen = Config['listen'];

/** Creates the server for callers. It limits the resources that slow, silent or broken callers can tie up. */
export function createHttpServer(listen: Listen, initial: Application, isDraining: () => boolean) {
  let application = initial;
  /** All TCP connections, including those whose TLS handshake is not complete. */
  const sockets = new Set<Socket>();
  const connections = new Map<Duplex, CallerConnection>();

  const stalledMilliseconds = listen.stalledSeconds * 1000;
  const headersTimeout = Math.ceil(listen.headersSeconds * 1000);
  const options: ServerOptions = {
    headersTimeout,
    // A body may take any time as long as bytes arrive: see `CallerConnection`.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(Math.ceil(headersTimeout / 4), HEADER_CHECK_MILLISECONDS),
    keepAliveTimeout: Math.ceil(listen.keepAliveSeconds * 1000),
    // The routers reject it in the contract's error format.
    requireHostHeader: false,
    // TCP probes a connection after a minute of silence: an idle stream would never notice that its caller has vanished.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    ...toUpgradeOptions((request) => application.shouldUpgrade(request), CallerRequest),
  };
  const tls = listen.tls && { ...listen.tls, handshakeTimeout: headersTimeout };
  const server = tls ? createTlsServer({ ...options, ...tls }) : createServer(options);
  server.maxHeadersCount = MAX_HEADERS;

  const serve =
    (listener: 'request' | 'checkContinue'): Listener =>
    (request, response) => {
      const isAccepted = connections.get(request.socket)?.accept(request, response);
      if (!isAccepted) return;
      if (isDraining()) response.shouldKeepAlive = false;
      application[listener](request, response);
    };

  server
    .on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    })
    .on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      const connection = new CallerConnection(socket, () => application, stalledMilliseconds);
      connections.set(socket, connection);
      // After an upgrade or a CONNECT, Node handles no errors: one would end the process.
      socket.on('error', () => {});
      socket.once('close', () => {
        connections.delete(socket);
        connection.close();
      });
    })
    .on('request', serve('request'))
    .on('checkContinue', serve('checkContinue'))
    // RFC 9110, section 10.1.1: a server may ignore expectations other than 100-continue.
    .on('checkExpectation', serve('request'))
    .on('upgrade', (request, socket, head) => {
      const isAccepted = connections.get(socket)?.accept(request);
      if (isAccepted) application.upgrade(request, socket, head);
    })
    // Always refuses it.
    .on('connect', (request, socket) => connections.get(socket)?.accept(request))
    .on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const connection = connections.get(socket);
      if (connection === undefined) return socket.destroy();
      const { request } = connection;
      const refuse = () => connection.refuse(toRefusal(error));
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuse();
      // As for `check` below.
      setImmediate(() => connection.request === request && refuse());
    })
    // Node also reports it as a `clientError`, but without a handshake, sending a refusal would never end.
    .on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());

  let watch: NodeJS.Timeout | undefined;

  function endStalled(): void {
    const now = performance.now();
    for (const connection of connections.values()) connection.endIfStalled(now);
  }

  return {
    get port(): number {
      return portOf(server);
    },
    countConnections: () => sockets.size,
    async listen(): Promise<void> {
      const { host, port, reusePort } = listen;
      await once(server.listen({ host, port, reusePort }), 'listening');
      if (stalledMilliseconds === 0) return;
      // Sockets are read first: after this process was busy, what callers sent in time may be unread.
      const check = () => setImmediate(endStalled);
      watch = setInterval(check, Math.min(stalledMilliseconds / 4, 5_000)).unref();
    },
    /** Replaces the application for requests that follow, and the certificate for new connections. */
    update({ tls }: Listen, next: Application): void {
      application = next;
      if (tls !== undefined) (server as TlsServer).setSecureContext(tls);
    },
    /**
     * Accepts no more connections, and closes those that are not used. WebSockets do not end by themselves, so they are
     * closed as soon as no call is in flight. Returns the number of calls that were aborted when time was up.
     */
    async drain(seconds: number, inFlight: InFlight): Promise<number> {
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
        if (inFlight.calls === 0 || isLate)
          for (const socket of inFlight.webSockets) socket.destroy();
        if (isLate) {
          aborted = Math.max(aborted, inFlight.calls);
          for (const connection of connections.values()) connection.abort();
          for (const socket of sockets) socket.destroy();
        } else if (elapsed >= UNUSED_MILLISECONDS) {
          // Before version 26, Node does not count them as idle. A new one may have a request on its way.
          for (const connection of connections.values())
            if (!connection.request) connection.abort();
        }
        await wait(DRAIN_CHECK_MILLISECONDS);
      }
      clearInterval(watch);
      return aborted;
    },
  };
}

export function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  if (address === null) throw new Error('The server is not listening. Call listen() first.');
  return address.port;
}

/**
 * Returns the URL of this server as a caller sees it. A link leads to the host in its URL, so `Host` is trusted only
 * if it names this machine. Otherwise, the URL contains the address that the caller connected to.
 */
export function toRequestUrl({ headers, socket }: IncomingMessage): string {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  const url = URL.parse(`${scheme}://${headers.host}`);
  if (url && (isLoopback(url.hostname) || url.hostname.endsWith('.localhost'))) return url.origin;
  return toUrl(scheme, toAddress(socket.localAddress) ?? '127.0.0.1', socket.localPort ?? 0);
}

/** An IPv6 socket reports IPv4 addresses as `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2). */
export function toAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

export function toUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
