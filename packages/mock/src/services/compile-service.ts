import { isObject, suggest } from '../util/values.ts';
import type { DocumentService } from './document-service.ts';
import type { FakeService } from './fake-service.ts';
import { prepareRoute } from './prepare-route.ts';
import {
  type CalledPath,
  compareRoutes,
  matchRoute,
  parseRouteKey,
  type RouteKey,
  type RouteMethod,
  shapeOf,
  toCalledPath,
} from './routes.ts';
import {
  type MockedResponse,
  type RouteContext,
  type RouteHandler,
  toMessageResponse,
} from './services.ts';
import { callProxy, openProxy } from './upstream.ts';
import { type Opened, type Opener, prepareWebSocket } from './web-socket.ts';

interface CompiledRoute {
  /** As written in the definition. */
  readonly text: string;
  readonly key: RouteKey;
  /** Exactly one of these, depending on the method. */
  readonly respond?: RouteHandler;
  readonly open?: Opener;
}

export interface CompiledService {
  readonly name: string;
  /** Most specific first. */
  readonly routes: readonly CompiledRoute[];
  readonly proxy: URL | undefined;
  /** Responds to every call, instead of routes. */
  readonly document?: DocumentService;
  /** Whether HTTP calls return the contract's example. */
  readonly isExample?: true;
}

/** Compiles a valid definition. */
export function compileService(name: string, { routes = {}, proxy }: FakeService): CompiledService {
  const compiled = Object.entries(routes).map(([text, route]): CompiledRoute => {
    const key = parseRouteKey(text);
    return key.method === 'WS'
      ? { text, key, open: prepareWebSocket(route) }
      : { text, key, respond: prepareRoute(route) };
  });
  return {
    name,
    routes: compiled.sort((one, other) => compareRoutes(one.key, other.key)),
    proxy: proxy === undefined ? undefined : new URL(proxy),
  };
}

export type ServiceContext = Omit<RouteContext, 'params' | 'report'> & {
  /** Called when a route function fails. */
  readonly report: (route: string, error: unknown) => void;
};

/**
 * Handles a call with the most specific matching route. If no route matches, forwards the call to the
 * upstream service, or responds with 404 or 405 if there is none.
 */
export function handleCall(
  service: CompiledService,
  context: ServiceContext,
): Promise<MockedResponse> | MockedResponse {
  if (service.document !== undefined) return service.document.respond(toRouteContext(context));
  const path = toPath(context);
  const method = context.input.method === 'POST' ? 'POST' : 'GET';
  const found = findRoute(service, method, path);
  if (found?.route.respond !== undefined)
    return found.route.respond(toRouteContext(context, found));
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
  if (found?.route.open !== undefined) {
    return found.route.open(toRouteContext(context, found), upstreamStatus);
  }
  if (service.document !== undefined || findRoute(service, 'GET', path) !== undefined) {
    return handleCall(service, context);
  }
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
    if (route.key.method !== method) continue;
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
  const called = `${method} /${input.anyPath}`;
  const fits = (other: RouteMethod) => findRoute(service, other, path) !== undefined;
  if (method === 'GET' && fits('WS')) {
    const message = `${called} of ${service.name} is a WebSocket: connect with a WebSocket client.`;
    return { ...toMessageResponse(426, message), unmatched: true };
  }
  const allowed = (['GET', 'POST'] as const).filter(fits);
  if (method !== 'WS' && allowed.length > 0) {
    const message = `${called}: service ${service.name} supports only ${allowed.join(' and ')} here.`;
    const allow = allowed.map((name) => (name === 'GET' ? 'GET, HEAD' : name)).join(', ');
    return { ...toMessageResponse(405, message, { allow }), unmatched: true };
  }
  const routes = service.routes.map(({ text }) => text);
  const hint = suggest(called, routes, ' Did you mean');
  const known = routes.length === 0 ? 'none' : routes.join(', ');
  const message = `No route of service ${service.name} matches ${called}.${hint} Its routes: ${known}.`;
  return { ...toMessageResponse(404, message), unmatched: true };
}

const FIELDS = ['routes', 'proxy'];

/** Returns all errors in a service definition, as sentences that name the field. */
export function findServiceFaults(service: unknown): string[] {
  if (!isObject(service))
    return ['The service must be an object with the fields routes and proxy.'];
  const faults = Object.keys(service)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => {
      const hint = suggest(name, FIELDS, ' did you mean', ' the fields are routes and proxy.');
      return `${name} is not a field here;${hint}`;
    });
  const { routes = {}, proxy } = service;
  if (proxy !== undefined && !isUrl(proxy)) {
    faults.push('proxy must be a URL such as http://127.0.0.1:8080.');
  }
  if (!isObject(routes)) return [...faults, 'routes must be an object.'];
  const shapes = new Map<string, string>();
  for (const [key, route] of Object.entries(routes)) {
    const fault = findRouteFault(key, route, shapes);
    if (fault !== undefined) faults.push(`routes[${JSON.stringify(key)}] ${fault}`);
  }
  return faults;
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value);
}

/** @param shapes the keys so far, by what they match */
function findRouteFault(
  key: string,
  route: unknown,
  shapes: Map<string, string>,
): string | undefined {
  try {
    const parsed = parseRouteKey(key);
    const shape = shapeOf(parsed);
    const before = shapes.get(shape);
    if (before !== undefined) return `matches the same calls as ${JSON.stringify(before)}.`;
    shapes.set(shape, key);
    if (typeof route === 'function') return undefined;
    if (!isObject(route)) return 'must be a response or a function.';
    if ('webSocket' in route === (parsed.method === 'WS')) return undefined;
    return parsed.method === 'WS'
      ? 'is not a WebSocket: give it a webSocket function, or start its key with GET or POST.'
      : 'is a WebSocket: use WS instead of the method in its key.';
  } catch (error) {
    return `${(error as TypeError).message}.`;
  }
}
