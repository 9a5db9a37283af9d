import { toMilliseconds } from '../util/values.ts';
import type { DeclaredState, FakeService, Route } from './fake-service.ts';
import { prepareRoute } from './prepare-route.ts';
import { compareRoutes, type HttpMethod, parseRouteKey, type RouteKey, shapeOf } from './routes.ts';
import type { RouteHandler, SampleCall } from './services.ts';
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
  readonly state: { readonly code: string; readonly ms?: number } | undefined;
  /** Whether HTTP calls return the contract's example. */
  readonly isExample: boolean;
  /** Whether routes come from an OpenAPI document. */
  readonly isDocument?: true;
  /** The collections that the service remembers: `items (POST, GET)`. */
  readonly remembers?: readonly string[];
}

/**
 * Compiles a valid definition into a service.
 *
 * @param folder base of relative file paths
 */
export function compileService(
  name: string,
  { state, routes = {}, proxy }: FakeService,
  folder: string,
): CompiledService {
  return {
    name,
    routes: Object.entries(routes)
      .map(([text, route]) => compileRoute(text, route, folder))
      .sort((one, other) => compareRoutes(one.key, other.key)),
    proxy: proxy === undefined ? undefined : new URL(proxy),
    state: state === undefined ? undefined : toState(state),
    isExample: false,
  };
}

/** Adds a document's routes to a service with the same name, whose own routes take precedence. */
export function mergeDocument(own: CompiledService, document: CompiledService): CompiledService {
  const shapes = new Set(own.routes.map(({ key }) => shapeOf(key)));
  const added = document.routes.filter(({ key }) => !shapes.has(shapeOf(key)));
  const routes = [...own.routes, ...added].sort((one, other) => compareRoutes(one.key, other.key));
  return { ...own, routes, isDocument: true, remembers: document.remembers ?? [] };
}

function compileRoute(text: string, route: Route, folder: string): CompiledRoute {
  const key = parseRouteKey(text);
  const { method } = key;
  return method === 'WS'
    ? { text, key, method, open: prepareWebSocket(route, folder) }
    : { text, key, method, respond: prepareRoute(route, folder) };
}

function toState(state: DeclaredState): CompiledService['state'] {
  if (typeof state === 'string') return { code: state };
  const ms = toMilliseconds(state.for);
  return ms === undefined ? { code: state.code } : { code: state.code, ms };
}
