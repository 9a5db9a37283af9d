import { createResponseFinder, type ResponseFinder } from './answering/create-response-finder.ts';
import { toDeprecationHeaders } from './answering/to-deprecation-headers.ts';
import { type BodyReader, createBodyReader } from './body/create-body-reader.ts';
import { functionOf, type Handler, type Handlers } from './handler.ts';
import type { RouterOptions } from './options.ts';
import {
  createParameterReader,
  type ParameterReader,
} from './parameters/create-parameter-reader.ts';
import type { Route, RouteTable } from './route-table.ts';
import { createGuard, type Guard } from './security/create-guard.ts';
import type { Settings } from './settings.ts';

/** A route with everything that can be worked out before the first request. */
export interface Plan {
  readonly route: Route;
  /** Names of the path parameters, in the order of the template. */
  readonly pathNames: readonly string[];
  readonly handle: Handler | undefined;
  readonly guard: Guard | undefined;
  readonly readParameters: ParameterReader | undefined;
  readonly readBody: BodyReader | undefined;
  readonly findResponse: ResponseFinder;
  /** `Deprecation` and `Sunset`, where the operation has them. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/**
 * @param pathNames names of the path parameters in their order
 * @throws TypeError where a security handler is missing
 */
export function toPlan(
  table: RouteTable,
  route: Route,
  pathNames: readonly string[],
  handlers: Handlers,
  options: RouterOptions,
  settings: Settings,
): Plan {
  const deprecation = options.deprecations?.[route.operationId];
  return {
    route,
    pathNames,
    // Handlers may be methods of an object that they refer to.
    handle: functionOf(handlers, route.operationId)?.bind(handlers),
    guard: createGuard(table, route, options.security ?? {}),
    readParameters: createParameterReader(route, pathNames),
    readBody: route.body && createBodyReader(route.body, settings.limits),
    findResponse: createResponseFinder(route.responses),
    headers: deprecation && toDeprecationHeaders(deprecation),
  };
}
