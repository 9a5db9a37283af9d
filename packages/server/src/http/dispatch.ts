import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Observer } from '../observe/create-observer.ts';
import type { Tracing } from '../observe/create-tracing.ts';
import { type Surface, surfaceOf } from '../observe/surface.ts';
import type { Application } from './create-application.ts';

/** What the events of an HTTP server lead to. */
export interface Dispatch {
  request(request: IncomingMessage, response: ServerResponse): void;
  checkContinue(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  shouldUpgrade(request: IncomingMessage): boolean;
  /** Whether an answer on this connection has begun and not ended. */
  isAnswering(socket: Duplex): boolean;
  /** Whether a connection has carried a request. */
  hasServed(socket: Duplex): boolean;
  /** From now on every answer closes its connection. */
  drain(): void;
}

const RESPONSE = Symbol('response under way');

const UPGRADED = Symbol('upgraded');

type Answering = Duplex & { [RESPONSE]?: ServerResponse; [UPGRADED]?: boolean };

/** Leads each request to its surface, and counts it. */
export function createDispatch(
  application: () => Application,
  observer: Observer,
  tracing: Tracing | undefined,
): Dispatch {
  let isDraining = false;
  const begin = (request: IncomingMessage, response: ServerResponse): Surface => {
    const surface = surfaceOf(request.url ?? '/');
    if (isDraining) response.shouldKeepAlive = false;
    (request.socket as Answering)[RESPONSE] = response;
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
    upgrade(request, socket, head) {
      (socket as Answering)[UPGRADED] = true;
      observer.beginUpgrade(request);
      application().upgrade(request, socket, head);
    },
    shouldUpgrade: (request) => application().shouldUpgrade(request),
    isAnswering(socket) {
      const response = (socket as Answering)[RESPONSE];
      return response?.headersSent === true && !response.writableFinished;
    },
    hasServed: (socket: Answering) => socket[RESPONSE] !== undefined || socket[UPGRADED] === true,
    drain() {
      isDraining = true;
    },
  };
}
