/** The helper `routes`, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import { decodeText } from '@berth/server-stubs/contract';
import { POLICY_VIOLATION } from './run-code.ts';
import type { ServiceSocket } from './service.ts';

/** Decoded values of `:name` in the path of a route. The key `*` holds the rest of the path, not decoded. */
type RouteParams = Readonly<Record<string, string>>;

type RouteHandler = (request: Request, params: RouteParams) => Response | Promise<Response>;

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
  // Not `FetchHandler` and `SocketHandler`, which the declarations of a user's module cannot name.
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly webSocket: (socket: ServiceSocket, request: Request) => unknown;
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
      const match = find(method === 'POST' ? 'POST' : 'GET', url);
      if (match !== undefined) return (match.handle as RouteHandler)(request, match.params);
      const message = `No route matches ${method} ${new URL(url).pathname}. The routes: ${keys.join(', ')}.`;
      return Response.json({ message }, { status: 404 });
    },
    webSocket(socket, request) {
      const match = find('WS', request.url);
      if (match === undefined) return socket.close(POLICY_VIOLATION, 'No route matches.');
      return (match.handle as RouteSocketHandler)(socket, request, match.params);
    },
  };
}

function parseRoute(key: string) {
  const [, method, path = ''] = /^(GET|POST|WS) (\/\S*)$/.exec(key) ?? [];
  if (method === undefined || /[{}?#]|\*(?!$)|[^/]\*|\/:(?!\w+(?:\/|$))/.test(path)) {
    throw new TypeError(
      `routes: "${key}" must be GET, POST or WS, the methods of the gateway, and a path, such as "GET /orders/:id". :id matches a segment, and a final * the rest.`,
    );
  }
  const names: string[] = [];
  const { pathname } = new URL(`http://service${path}`);
  const pattern = pathname.replace(/(?<=\/):(\w+)|[*.+?^$()|[\]\\]/g, (text, name) => {
    if (name === undefined && text !== '*') return `\\${text}`;
    names.push(name ?? text);
    return text === '*' ? '(.*)' : '([^/]+)';
  });
  if (new Set(names).size < names.length) {
    throw new TypeError(`routes: "${key}" must not have the same name twice.`);
  }
  const regExp = new RegExp(`^${pattern}$`);
  return {
    method,
    match(pathname: string): RouteParams | undefined {
      const values = regExp.exec(pathname);
      const entries = names.map((name, index) => {
        const text = values?.[index + 1] ?? '';
        return [name, name === '*' ? text : (decodeText(text) ?? text)];
      });
      return values === null ? undefined : Object.fromEntries(entries);
    },
  };
}
