import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FILES_PATH, UPLOAD_PATH } from '@berth/storage';
import type { Application } from './application.ts';
import type { Observer } from './calls.ts';
import type { Surface } from './metrics.ts';

/** The responses on a connection that have not ended, in order: requests may be pipelined. */
const RESPONSES = Symbol('responses');
type ClientSocket = Duplex & { [RESPONSES]?: Set<ServerResponse> };
const UNUSED_SECONDS = 1;

export type Dispatch = ReturnType<typeof createDispatch>;

/** Creates a dispatcher that routes each request to its surface, and counts the request. */
export function createDispatch(application: () => Application, observer: Observer) {
  let isDraining = false;
  const to =
    (event: 'request' | 'checkContinue') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const surface = surfaceOf(request.url ?? '/');
      if (isDraining) response.shouldKeepAlive = false;
      const socket = request.socket as ClientSocket;
      socket[RESPONSES] ??= new Set();
      const responses = socket[RESPONSES].add(response);
      response.once('close', () => responses.delete(response));
      const listener = application().surfaces[surface][event];
      observer.run(surface, request, response, () => listener(request, response));
    };
  return {
    request: to('request'),
    checkContinue: to('checkContinue'),
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      (socket as ClientSocket)[RESPONSES] ??= new Set();
      const { upgrade } = application();
      observer.run('gateway', request, undefined, () => upgrade(request, socket, head));
    },
    shouldUpgrade: (request: IncomingMessage) => application().shouldUpgrade(request),
    /** Returns whether a response on this connection has begun and not ended. */
    hasOpenResponse(socket: Duplex) {
      const [first] = (socket as ClientSocket)[RESPONSES] ?? [];
      return first?.headersSent === true && !first.writableFinished;
    },
    /** Returns whether a connection has carried a request. */
    hasServed: (socket: Duplex) => RESPONSES in socket,
    /** From now on, every response closes its connection. */
    drain() {
      isDraining = true;
    },
  };
}

/** Returns the surface for a path. The gateway gets every path that belongs to no other surface. */
function surfaceOf(url: string): Surface {
  const path = `${url.split('?', 1)[0]}/`;
  if (path.startsWith('/api/v2/')) return 'storage';
  if (path.startsWith(`${UPLOAD_PATH}/`)) return 'upload';
  return path.startsWith(`${FILES_PATH}/`) ? 'files' : 'gateway';
}

interface DrainOptions {
  readonly seconds: number;
  readonly observer: Observer;
  /** Closes connections that have not sent a request yet, which Node counts as idle only since version 26. */
  readonly closeUnused: () => void;
  /** Closes WebSockets when no other call is in flight, or when time is up. */
  readonly endWebSockets: () => void;
}

/**
 * Stops a server gracefully. WebSockets do not end by themselves, so they are closed as soon as nothing else is in
 * flight. Returns the number of aborted calls.
 */
export async function drain(
  server: Server,
  { seconds, observer, closeUnused, endWebSockets }: DrainOptions,
): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const onEnd = () =>
    setImmediate(() => {
      server.closeIdleConnections();
      if (observer.active === 0) endWebSockets();
    });
  observer.onEnd(onEnd);
  onEnd();
  // One that was just opened may have a request on its way.
  const unused = setTimeout(() => {
    closeUnused();
    onEnd();
  }, Math.min(seconds, UNUSED_SECONDS) * 1000);
  let left = 0;
  const timer = setTimeout(() => {
    left = observer.active;
    endWebSockets();
    server.closeAllConnections();
  }, seconds * 1000);
  await closed;
  clearTimeout(timer);
  clearTimeout(unused);
  return left;
}
