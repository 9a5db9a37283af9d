import { toMilliseconds } from '../to-milliseconds.ts';
import { prepareRoute } from './answers/prepare-route.ts';
import type { CompiledRoute, CompiledService } from './compiled-service.ts';
import type { DeclaredState, FakeService, Route } from './fake-service.ts';
import { compareRoutes } from './routes/match-route.ts';
import { parseRouteKey } from './routes/route-key.ts';
import { prepareWebSocket } from './web-socket/prepare-web-socket.ts';

/**
 * Makes a definition that has been judged into a service.
 *
 * @param folder where the paths of its files begin
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

function compileRoute(text: string, route: Route, folder: string): CompiledRoute {
  const key = parseRouteKey(text);
  const { method } = key;
  return method === 'WS'
    ? { text, key, method, open: prepareWebSocket(route, folder) }
    : { text, key, method, answer: prepareRoute(route, folder) };
}

function toState(state: DeclaredState): CompiledService['state'] {
  if (typeof state === 'string') return { code: state };
  const ms = toMilliseconds(state.for);
  return ms === undefined ? { code: state.code } : { code: state.code, ms };
}
