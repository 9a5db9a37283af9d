import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Surface } from '../observe/create-metrics.ts';
import type { Observer } from '../observe/create-observer.ts';
import type { Tracing } from '../observe/create-tracing.ts';
import type { Application } from './create-application.ts';
import { surfaceOf } from './surface.ts';

const RESPONSE = Symbol('response under way');
const UPGRADED = Symbol('upgraded');
type ClientSocket = Duplex & { [RESPONSE]?: ServerResponse; [UPGRADED]?: boolean };
const UNUSED_SECONDS = 1;

export type Dispatch = ReturnType<typeof createDispatch>;

/** Creates a dispatcher that routes each request to its surface, and counts the request. */
export function createDispatch(
  application: () => Application,
  observer: Observer,
  tracing: Tracing | undefined,
) {
  let isDraining = false;
  const begin = (request: IncomingMessage, response: ServerResponse): Surface => {
    const surface = surfaceOf(request.url ?? '/');
    if (isDraining) response.shouldKeepAlive = false;
    (request.socket as ClientSocket)[RESPONSE] = response;
    observer.begin(surface, request, response);
    return surface;
  };
  const to =
    (event: 'request' | 'checkContinue') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const surface = begin(request, response);
      const listener = application().surfaces[surface][event];
      if (tracing === undefined) listener(request, response);
      else tracing.run(surface, request, response, () => listener(request, response));
    };
  return {
    request: to('request'),
    checkContinue: to('checkContinue'),
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      (socket as ClientSocket)[UPGRADED] = true;
      observer.beginUpgrade(request);
      const upgrade = () => application().upgrade(request, socket, head);
      if (tracing === undefined) upgrade();
      else tracing.run('gateway', request, undefined, upgrade);
    },
    shouldUpgrade: (request: IncomingMessage) => application().shouldUpgrade(request),
    /** Returns whether a response on this connection has begun and not ended. */
    hasOpenResponse(socket: Duplex) {
      const response = (socket as ClientSocket)[RESPONSE];
      return response?.headersSent === true && !response.writableFinished;
    },
    /** Returns whether a connection has carried a request. */
    hasServed: (socket: ClientSocket) =>
      socket[RESPONSE] !== undefined || socket[UPGRADED] === true,
    /** From now on, every response closes its connection. */
    drain() {
      isDraining = true;
    },
  };
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
