import { toEventText } from '../services/event-text.ts';
import type { FakeSocket, ServiceEvent } from '../services/fake-service.ts';
import {
  compareRoutes,
  matchRoute,
  type Params,
  parseRouteKey,
  type RouteKey,
  type RouteMethod,
  toCalledPath,
} from '../services/routes.ts';

/** Responds to the calls of a hosted service. The URL has the service's own path and query. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The service's side of a WebSocket. When the function returns, the socket stays open and silent. */
export type SocketHandler = (socket: FakeSocket, request: Request) => unknown;

/** A hosted service: a function, or an object with one, such as a Hono application. */
export type HostedService =
  | FetchHandler
  | { readonly fetch?: FetchHandler; readonly webSocket?: SocketHandler };

/** Handles the calls of one route. `params` are the decoded values of `{name}` in its path. */
export type RouteHandler = (request: Request, params: Params) => Response | Promise<Response>;

/** Responses by method and path. */
export interface RouteHandlers {
  /** Handles GET requests, and HEAD requests without the body. */
  readonly [get: `GET /${string}`]: RouteHandler;
  readonly [post: `POST /${string}`]: RouteHandler;
  /** Handles WebSockets. */
  readonly [ws: `WS /${string}`]: (socket: FakeSocket, request: Request, params: Params) => unknown;
}

/**
 * Creates a hosted service from its routes. `{name}` matches one segment, a trailing `*` the rest of the path. The
 * most specific route responds.
 *
 * @throws TypeError that names an invalid route
 * @example
 * const orders = routes({
 *   'GET /orders/{id}': (_, { id }) => Response.json({ id }),
 *   'POST /orders': async (request) => Response.json(await request.json(), { status: 201 }),
 * });
 */
export function routes(handlers: RouteHandlers): {
  readonly fetch: FetchHandler;
  readonly webSocket: SocketHandler;
} {
  const known = Object.entries(handlers)
    .map(([text, handle]) => ({ text, key: parse(text), handle: handle as AnyHandler }))
    .sort((one, other) => compareRoutes(one.key, other.key));
  const find = (method: RouteMethod, { url }: Request) => {
    const { pathname, search } = new URL(url);
    const path = toCalledPath(pathname, search.slice(1) || undefined);
    for (const { key, handle } of known) {
      const params = key.method === method ? matchRoute(key, path) : undefined;
      if (params !== undefined) return { handle, params };
    }
    return undefined;
  };
  const explain = (method: string, { url }: Request) =>
    `No route matches ${method} ${new URL(url).pathname}. The routes: ${known.map(({ text }) => text).join(', ')}.`;
  return {
    fetch(request) {
      const method = request.method === 'POST' ? 'POST' : 'GET';
      const found = find(method, request);
      if (found !== undefined) return (found.handle as RouteHandler)(request, found.params);
      return Response.json({ message: explain(method, request) }, { status: 404 });
    },
    webSocket(socket, request) {
      const found = find('WS', request);
      if (found === undefined) socket.close(REFUSED, 'No route matches.');
      else return (found.handle as RouteHandlers[`WS /${string}`])(socket, request, found.params);
    },
  };
}

type AnyHandler = RouteHandlers[`GET /${string}` | `WS /${string}`];

/** RFC 6455, section 7.4.1: a generic code for a message that violates a policy. */
export const REFUSED = 1008;

function parse(text: string): RouteKey {
  try {
    return parseRouteKey(text);
  } catch (error) {
    throw new TypeError(`routes[${JSON.stringify(text)}] ${(error as TypeError).message}.`);
  }
}

type Events = Iterable<ServiceEvent> | AsyncIterable<ServiceEvent>;

/**
 * Responds with server-sent events.
 *
 * @param request if it is given and the events are an array, a client that reconnects gets the events after the
 *   one in `Last-Event-ID`, or a 204 if there are none, which ends its stream. Events without an `id` are
 *   numbered from 1.
 * @example
 * 'GET /news': (request) => events([{ event: 'mail', data: { from: 'Bob' } }], request)
 * @example
 * 'GET /clock': () => events((async function* () { yield { data: 'tick' }; })())
 */
export function events(source: Events, request?: Request): Response {
  const rest = request !== undefined && Array.isArray(source) ? after(source, request) : source;
  if (Array.isArray(rest) && rest.length === 0) return new Response(null, { status: 204 });
  const iterator = iterate(rest);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(toEventText(value)));
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
  return new Response(body, { headers });
}

async function* iterate(source: Events): AsyncGenerator<ServiceEvent, undefined, undefined> {
  yield* source;
}

function after(list: readonly ServiceEvent[], { headers }: Request): readonly ServiceEvent[] {
  const last = headers.get('last-event-id');
  const numbered = list.map((event, at) => ({ id: at + 1, ...event }));
  const rest = numbered.slice(numbered.findLastIndex(({ id }) => String(id) === last) + 1);
  const [first, ...others] = rest;
  // The list ends the stream, and a test need not wait before its client reconnects.
  return first === undefined ? [] : [{ retry: 1, ...first }, ...others];
}
