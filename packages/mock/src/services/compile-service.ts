import { suggest } from '../util/values.ts';
import type { FakeService, Route } from './fake-service.ts';
import { prepareRoute } from './prepare-route.ts';
import {
  type CalledPath,
  compareRoutes,
  HTTP_METHODS,
  type HttpMethod,
  matchRoute,
  parseRouteKey,
  type RouteKey,
  type RouteMethod,
  shapeOf,
  toCalledPath,
} from './routes.ts';
import type { RouteHandler, SampleCall } from './services.ts';
import { type MockedResponse, type RouteContext, toMessageResponse } from './services.ts';
import { callProxy, openProxy } from './upstream.ts';
import type { Opened } from './web-socket.ts';
import { type Opener, prepareWebSocket } from './web-socket.ts';

interface RouteParts {
  /** As written in the definition. */
  readonly text: string;
  readonly key: RouteKey;
}

export type CompiledRoute = RouteParts &
  (
    | {
        readonly method: HttpMethod;
        readonly respond: RouteHandler;
        /** A valid call, for the examples that the command line prints. */
        readonly sample?: () => Promise<SampleCall>;
      }
    | { readonly method: 'WS'; readonly open: Opener; readonly sample?: undefined }
  );

export interface CompiledService {
  readonly name: string;
  /** Most specific first. */
  readonly routes: readonly CompiledRoute[];
  readonly proxy: URL | undefined;
  /** Whether HTTP calls return the contract's example. */
  readonly isExample: boolean;
  /** Whether routes come from an OpenAPI document. */
  readonly isDocument?: true;
}

/**
 * Compiles a valid definition into a service.
 *
 * @param folder base of relative file paths
 */
export function compileService(
  name: string,
  { routes = {}, proxy }: FakeService,
  folder: string,
): CompiledService {
  return {
    name,
    routes: Object.entries(routes)
      .map(([text, route]) => compileRoute(text, route, folder))
      .sort((one, other) => compareRoutes(one.key, other.key)),
    proxy: proxy === undefined ? undefined : new URL(proxy),
    isExample: false,
  };
}

/** Adds a document's routes to a service with the same name, whose own routes take precedence. */
export function mergeDocument(own: CompiledService, document: CompiledService): CompiledService {
  const shapes = new Set(own.routes.map(({ key }) => shapeOf(key)));
  const added = document.routes.filter(({ key }) => !shapes.has(shapeOf(key)));
  const routes = [...own.routes, ...added].sort((one, other) => compareRoutes(one.key, other.key));
  return { ...own, routes, isDocument: true };
}

function compileRoute(text: string, route: Route, folder: string): CompiledRoute {
  const key = parseRouteKey(text);
  const { method } = key;
  return method === 'WS'
    ? { text, key, method, open: prepareWebSocket(route, folder) }
    : { text, key, method, respond: prepareRoute(route, folder) };
}

export type ServiceContext = Omit<RouteContext, 'params' | 'report'> & {
  /** Called when a route function fails. */
  readonly report: (route: string, error: unknown) => void;
};

type CallResult = Promise<MockedResponse> | MockedResponse;

/**
 * Handles a call with the most specific matching route. If no route matches, forwards the call to the
 * upstream service, or responds with 404 or 405 if there is none.
 */
export function handleCall(service: CompiledService, context: ServiceContext): CallResult {
  const path = toPath(context);
  const method = context.input.method as HttpMethod;
  const found =
    findRoute(service, method, path) ??
    (method === 'HEAD' ? findRoute(service, 'GET', path) : undefined);
  if (found !== undefined && 'respond' in found.route) {
    return found.route.respond(toRouteContext(context, found));
  }
  if (service.proxy !== undefined) return callProxy(service.proxy, toRouteContext(context));
  return refuse(service, context, method, path);
}

/**
 * Like `handleCall`, but for a WebSocket. If no WebSocket route matches, the call is handled like any other
 * GET.
 */
export function openCall(
  service: CompiledService,
  context: ServiceContext,
  upstreamStatus: string,
): Promise<Opened> | Opened {
  const path = toPath(context);
  const found = findRoute(service, 'WS', path);
  if (found !== undefined && 'open' in found.route) {
    return found.route.open(toRouteContext(context, found), upstreamStatus);
  }
  if (findRoute(service, 'GET', path) !== undefined) return handleCall(service, context);
  if (service.proxy !== undefined) return openProxy(service.proxy, toRouteContext(context));
  return refuse(service, context, 'WS', path);
}

interface Found {
  readonly route: CompiledRoute;
  readonly params: RouteContext['params'];
}

function findRoute(
  { routes }: CompiledService,
  method: RouteMethod,
  path: CalledPath,
): Found | undefined {
  for (const route of routes) {
    if (route.method !== method) continue;
    const params = matchRoute(route.key, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function toPath({ input }: ServiceContext): CalledPath {
  return toCalledPath(`/${input.anyPath}`, input.rawQuery);
}

function toRouteContext({ report, ...context }: ServiceContext, found?: Found): RouteContext {
  const { route, params = {} } = found ?? {};
  return { ...context, params, report: (error) => report(route?.text ?? '', error) };
}

/** RFC 9110, section 15.5.6: "The origin server MUST generate an Allow header field in a 405 response". */
function refuse(
  service: CompiledService,
  { input }: ServiceContext,
  method: RouteMethod,
  path: CalledPath,
): MockedResponse {
  const called = `${method === 'HEAD' ? 'GET' : method} /${input.anyPath}`;
  const fits = (other: RouteMethod) => findRoute(service, other, path) !== undefined;
  if ((method === 'GET' || method === 'HEAD') && fits('WS')) {
    const message = `${called} of ${service.name} is a WebSocket: connect with a WebSocket client.`;
    return { ...toMessageResponse(426, message), unmatched: true };
  }
  const allowed = HTTP_METHODS.filter(fits);
  if (method !== 'WS' && allowed.length > 0) {
    const message = `${called}: service ${service.name} supports only ${allowed.join(' and ')} here.`;
    const allow = new Set(allowed.flatMap((name) => (name === 'GET' ? [name, 'HEAD'] : [name])));
    return {
      ...toMessageResponse(405, message, { allow: [...allow].join(', ') }),
      unmatched: true,
    };
  }
  const routes = service.routes.map(({ text }) => text);
  const hint = suggest(called, routes, ' Did you mean');
  const known = routes.length === 0 ? 'none' : routes.join(', ');
  const message = `No route of service ${service.name} matches ${called}.${hint} Its routes: ${known}.`;
  return { ...toMessageResponse(404, message), unmatched: true };
}
