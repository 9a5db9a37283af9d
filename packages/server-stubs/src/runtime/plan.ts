import { createBodyReader } from './body/create-body-reader.ts';
import { createGuard, toChallenge } from './create-guard.ts';
import { functionOf, type Handlers, type RouterOptions, type Settings } from './options.ts';
import { createParameterReader } from './parameters/create-parameter-reader.ts';
import type { DocumentedResponse, Route, RouteTable } from './route-table.ts';

/** A route, with everything about it that can be computed before the first request. */
export type Plan = Readonly<ReturnType<typeof toPlan>>;

export function toPlan(
  table: RouteTable,
  route: Route,
  pathNames: readonly string[],
  handlers: Handlers,
  options: RouterOptions,
  settings: Settings,
) {
  return {
    route,
    pathNames,
    // Handlers may be methods that refer to their object.
    handle: functionOf(handlers, route.operationId)?.bind(handlers),
    guard: createGuard(table, route, options.security ?? {}),
    challenge: toChallenge(table, route),
    readParameters: createParameterReader(route, pathNames),
    readBody: route.body && createBodyReader(route.body, settings.limits),
    findResponse: (status: number) => findResponse(route.responses, status),
  };
}

/** The response for the status itself, its range (`4XX`), or `default`. */
function findResponse(
  responses: readonly DocumentedResponse[],
  status: number,
): DocumentedResponse | undefined {
  const find = (name: string) => responses.find((response) => response.status === name);
  return find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}

/** The plans of a path, by method. */
export class Leaf {
  readonly #plans = new Map<string, Plan>();

  add(method: string, plan: Plan): void {
    if (this.#plans.has(method)) {
      throw new TypeError(`${method} ${plan.route.path} is in the route table more than once.`);
    }
    this.#plans.set(method, plan);
  }

  /** HEAD is GET without the body (RFC 9110, section 9.3.2). */
  find(method: string): Plan | undefined {
    return this.#plans.get(method) ?? (method === 'HEAD' ? this.#plans.get('GET') : undefined);
  }

  get methods(): string[] {
    const methods = [...this.#plans.keys()];
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    return methods;
  }
}
