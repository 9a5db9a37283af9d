/** Helpers for services in code, in the mock and in MSW. Pages import it, so it needs no Node modules. */
import { decodeText, type ServerEvent, toEventText } from '@berth/server-stubs/contract';
import {
  type FetchHandler,
  POLICY_VIOLATION,
  type ServiceSocket,
  type SocketHandler,
} from './service.ts';

export { GatewayError, type ServerEvent as ServiceEvent } from '@berth/server-stubs/contract';

/** Decoded values of `:name` in the path of a route. What `*` matches is under `*`, as sent. */
type RouteParams = Readonly<Record<string, string>>;

/** Handles the calls of one route. */
type RouteHandler = (request: Request, params: RouteParams) => Response | Promise<Response>;

/** Handles the WebSockets of one route. */
type RouteSocketHandler = (socket: ServiceSocket, request: Request, params: RouteParams) => unknown;

/** Handlers by method and path. */
export interface Routes {
  /** Handles GET requests, and HEAD requests without the body. */
  readonly [get: `GET /${string}`]: RouteHandler;
  readonly [post: `POST /${string}`]: RouteHandler;
  /** Handles WebSockets. */
  readonly [ws: `WS /${string}`]: RouteSocketHandler;
}

/**
 * Creates a hosted service from routes. `:name` matches one segment of the path, a final `*` the rest. The first
 * route that matches handles the call.
 *
 * @throws TypeError that names an invalid route
 * @example
 * const orders = routes({
 *   'GET /orders/:id': (_, { id }) => Response.json({ id }),
 *   'POST /orders': async (request) => Response.json(await request.json(), { status: 201 }),
 *   'WS /live': async (socket) => {
 *     for await (const message of socket) await socket.send(message);
 *   },
 * });
 */
export function routes(handlers: Routes): {
  readonly fetch: FetchHandler;
  readonly webSocket: SocketHandler;
} {
  const keys = Object.keys(handlers);
  const table = keys.map((key) => ({ key: key as keyof Routes, ...parseRoute(key) }));
  const find = (method: string, url: string) => {
    const { pathname } = new URL(url);
    for (const route of table) {
      const params = route.method === method ? route.match(pathname) : undefined;
      if (params !== undefined) return { handle: handlers[route.key], params };
    }
    return undefined;
  };
  return {
    fetch(request) {
      const { method, url } = request;
      const found = find(method === 'POST' ? 'POST' : 'GET', url);
      if (found !== undefined) return (found.handle as RouteHandler)(request, found.params);
      const message = `No route matches ${method} ${new URL(url).pathname}. The routes: ${keys.join(', ')}.`;
      return Response.json({ message }, { status: 404 });
    },
    webSocket(socket, request) {
      const found = find('WS', request.url);
      if (found === undefined) return socket.close(POLICY_VIOLATION, 'No route matches.');
      return (found.handle as RouteSocketHandler)(socket, request, found.params);
    },
  };
}

function parseRoute(key: string) {
  const [, method, path = ''] = /^(GET|POST|WS) (\/\S*)$/.exec(key) ?? [];
  if (method === undefined || /[{}?#]|\*(?!$)|[^/]\*|\/:(?!\w+(?:\/|$))/.test(path)) {
    throw new TypeError(
      `routes: "${key}" must be GET, POST or WS and a path, such as "GET /orders/:id". :id matches a segment, and a final * the rest.`,
    );
  }
  const names: string[] = [];
  const { pathname } = new URL(`http://service${path}`);
  const pattern = pathname.replace(/(?<=\/):(\w+)|[*.+?^$()|[\]\\]/g, (text, name) => {
    if (name === undefined && text !== '*') return `\\${text}`;
    names.push(name ?? text);
    return text === '*' ? '(.*)' : '([^/]+)';
  });
  const regExp = new RegExp(`^${pattern}$`);
  return {
    method,
    match(pathname: string): RouteParams | undefined {
      const found = regExp.exec(pathname);
      const entries = names.map((name, index) => {
        const text = found?.[index + 1] ?? '';
        return [name, name === '*' ? text : (decodeText(text) ?? text)];
      });
      return found === null ? undefined : Object.fromEntries(entries);
    },
  };
}

/**
 * Responds with server-sent events, as fast as the caller reads them. If the caller disconnects, the iterator ends.
 *
 * @param request if it is passed and the events are an array, a caller that reconnects gets those after the one in
 *   `Last-Event-ID`, or a 204 if there are none, which ends its stream
 * @example
 * 'GET /news': (request) => events([{ event: 'mail', data: { from: 'Bob' } }], request)
 * @example
 * 'GET /clock': () => events((async function* () { yield { data: 'tick' }; })())
 */
export function events(
  source: Iterable<ServerEvent> | AsyncIterable<ServerEvent>,
  request?: Request,
): Response {
  const rest = Array.isArray(source) && request ? skipReceived(source, request) : source;
  // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
  if (Array.isArray(rest) && rest.length === 0) return new Response(null, { status: 204 });
  const iterator = toTexts(rest);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      // Not awaited: it may be waiting indefinitely.
      // biome-ignore lint/suspicious/noConsole: in a page, there is no other place
      iterator.return(undefined).catch((error: unknown) => console.error(error));
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
  return new Response(body, { headers });
}

function skipReceived(list: readonly ServerEvent[], { headers }: Request): ServerEvent[] {
  const last = headers.get('last-event-id');
  const numbered = list.map((event, index) => ({ id: index + 1, ...event }));
  const [first, ...others] = numbered.slice(
    numbered.findLastIndex(({ id }) => String(id) === last) + 1,
  );
  // The list ends the stream, and a test need not wait before its client reconnects.
  return first === undefined ? [] : [{ retry: 1, ...first }, ...others];
}

async function* toTexts(
  source: Iterable<ServerEvent> | AsyncIterable<ServerEvent>,
): AsyncGenerator<string, undefined, undefined> {
  let number = 0;
  for await (const event of source) {
    number += 1;
    yield toEventText(event.data === undefined ? event : { id: number, ...event });
  }
}
