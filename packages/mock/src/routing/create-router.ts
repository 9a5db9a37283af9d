import { METHODS } from '../contract/open-api.ts';
import type { Operation } from '../contract/operations.ts';
import { compileRoute, type Route } from './compile-route.ts';

type RouteMatch =
  | { operation: Operation; params: Record<string, string> }
  /** The path is known, the method is not; `allow` lists what it takes. */
  | { allow: string[] };

export interface Router {
  /** The operation of a method and a raw path; undefined where no path fits. */
  match(method: string, path: string): RouteMatch | undefined;
  templates: string[];
}

/** A router over operations: literal paths first, the greedy ones last. */
export function createRouter(operations: Operation[]): Router {
  const routes = toRoutes(operations);
  return {
    templates: routes.map((route) => route.template),
    match(method, path) {
      for (const route of routes) {
        const params = route.match(path);
        if (params) return pick(route, method, params);
      }
      return undefined;
    },
  };
}

function toRoutes(operations: Operation[]): Route[] {
  const byPath = Map.groupBy(operations, (operation) => operation.path);
  const roots = new Set(
    operations.flatMap(({ path, greedy }) => (greedy ? path.replace(`/{${greedy}}`, '') : [])),
  );
  return [...byPath]
    .sort(([, [a]], [, [b]]) => Number(Boolean(a?.greedy)) - Number(Boolean(b?.greedy)))
    .map(([path, own]) => compileRoute(path, own, roots.has(path)));
}

function pick(route: Route, method: string, params: Record<string, string>): RouteMatch {
  // D11: "HEAD is GET without body".
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = route.operations.find((candidate) => candidate.method === wanted);
  return operation ? { operation, params } : { allow: allowedMethods(route) };
}

function allowedMethods({ operations }: Route): string[] {
  const methods = METHODS.filter((method) => operations.some((one) => one.method === method));
  const names = methods.flatMap((method) =>
    method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase(),
  );
  return [...names, 'OPTIONS'];
}
