import type { IncomingMessage, ServerResponse } from 'node:http';
import { deferContinue } from './body/request-stream.ts';
import { Call } from './call.ts';
import { decodeText } from './decoding.ts';
import { exchange } from './exchange.ts';
import { badPath, type HttpError, notAllowed, notFound, tooLarge } from './faults.ts';
import { createMatcher, type Matcher, namesOf, splitTarget, toSegments } from './matcher.ts';
import {
  type Handlers,
  type Router,
  type RouterOptions,
  type Settings,
  toSettings,
} from './options.ts';
import { Leaf, type Plan, toPlan } from './plan.ts';
import { Responder } from './responding/responder.ts';
import type { RouteTable } from './route-table.ts';

type Next = (error?: unknown) => void;

/**
 * Creates a router from generated routes and your handlers. It finds the operation, calls the security
 * handlers, parses and validates parameters and body, calls the handler, and validates and sends its
 * response.
 *
 * @throws TypeError if a handler belongs to no operation, a security handler is missing, or an option is
 *   invalid
 *
 * @example
 * createServer(createRouter(routes, { getPet: ({ path }) => ({ status: 200, body: pets.get(path.id) }) }));
 */
export function createRouter(
  table: RouteTable,
  handlers: Handlers,
  options: RouterOptions = {},
): Router {
  assertKnown(table, handlers);
  const settings = toSettings(options);
  const matcher = createPlans(table, handlers, options, settings);
  const route = (request: IncomingMessage, response: ServerResponse, next?: Next): void => {
    const { path, query } = splitTarget(request.url ?? '/');
    let requestId: string | undefined;
    try {
      requestId = settings.requestId?.(request);
    } catch (error) {
      const call = new Call(request, response, undefined, path, query, undefined);
      new Responder(call, undefined, settings).error(error);
      return;
    }
    const match = matcher.find(path);
    if (match === undefined) {
      if (next) next();
      else {
        const call = new Call(request, response, undefined, path, query, requestId);
        refuse(call, settings, notFound(path));
      }
      return;
    }
    const method = request.method ?? 'GET';
    const plan = match.leaf.find(method);
    const call = new Call(request, response, plan?.route, path, query, requestId);
    // Checked before authentication, so that security handlers only see valid paths.
    const fault = plan
      ? (findExcess(request, path, query, settings) ?? findBadEncoding(plan, match.values))
      : notAllowed(method, match.leaf.methods);
    if (fault !== undefined || plan === undefined) refuse(call, settings, fault as HttpError);
    else void exchange(plan, call, match.values, settings);
  };
  const checkContinue = (request: IncomingMessage, response: ServerResponse, next?: Next) => {
    deferContinue(request, response);
    route(request, response, next);
  };
  const find: Router['find'] = ({ method = 'GET', url = '/' }) => {
    const match = matcher.find(splitTarget(url).path);
    const plan = match?.leaf.find(method);
    if (match === undefined || plan === undefined) return undefined;
    const path = plan.pathNames.map((name, index) => [name, match.values[index] as string]);
    return { operationId: plan.route.operationId, path: Object.fromEntries(path) };
  };
  return Object.assign(route, { checkContinue, find });
}

function createPlans(
  table: RouteTable,
  handlers: Handlers,
  options: RouterOptions,
  settings: Settings,
): Matcher<Leaf> {
  const matcher = createMatcher<Leaf>(() => new Leaf());
  for (const route of table.routes) {
    const greedy = route.parameters.filter((parameter) => parameter.greedy);
    const segments = toSegments(route.path, new Set(greedy.map(({ name }) => name)));
    const plan = toPlan(table, route, namesOf(segments), handlers, options, settings);
    matcher.leafOf(segments).add(route.method, plan);
  }
  return matcher;
}

function refuse(call: Call, settings: Settings, error: HttpError): void {
  new Responder(call, undefined, settings).error(error);
}

function findExcess(
  { rawHeaders }: IncomingMessage,
  path: string,
  query: string | undefined,
  { limits }: Settings,
): HttpError | undefined {
  const { pathBytes, queryBytes, headerBytes } = limits;
  if (path.length > pathBytes) return tooLarge(`The path is longer than ${pathBytes} bytes.`, 414);
  if (query !== undefined && query.length > queryBytes) {
    return tooLarge(`The query is longer than ${queryBytes} bytes.`, 414);
  }
  if (headerBytes === Infinity) return undefined;
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (size <= headerBytes) return undefined;
  return tooLarge(`The headers are larger than ${headerBytes} bytes.`, 431);
}

/** Greedy parameters are not decoded. */
function findBadEncoding(
  { route, pathNames }: Plan,
  values: readonly string[],
): HttpError | undefined {
  const bad = pathNames.find((name, index) => {
    if (decodeText(values[index] as string) !== undefined) return false;
    return !route.parameters.some((other) => other.name === name && other.greedy);
  });
  return bad === undefined ? undefined : badPath(bad);
}

function assertKnown({ routes }: RouteTable, handlers: Handlers): void {
  const known = new Set(routes.map(({ operationId }) => operationId));
  for (const name of Object.keys(handlers)) {
    if (typeof handlers[name] === 'function' && !known.has(name)) {
      throw new TypeError(`handlers.${name}: the document has no operation with that name.`);
    }
  }
}
