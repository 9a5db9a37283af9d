import {
  type Handler,
  type Handlers,
  type Listener,
  type Router,
  type Settings,
  type TableRouterOptions,
  toSettings,
} from './options.ts';
import { Call, type PrincipalsByScheme } from './portable/call.ts';
import { createNullObject, decodeText } from './portable/encoding.ts';
import { setHeader } from './portable/headers.ts';
import { badPath, HttpError, notAllowed, notFound } from './portable/http-error.ts';
import { type ParsedInput, readParameters } from './portable/parameters.ts';
import { type Match, Paths, parameterNames, splitTarget } from './portable/paths.ts';
import type { Route, RouteTable } from './portable/route-table.ts';
import { assertHandlerNames, findHandler } from './portable/user-input.ts';
import { readBody } from './receive.ts';
import { createResponder } from './respond.ts';
import { createAuthentication } from './security.ts';

/** A route, with everything that can be prepared before the first request. */
interface Operation {
  readonly route: Route;
  readonly pathNames: readonly string[];
  /** The path parameter that is not decoded. */
  readonly greedy: string | undefined;
  readonly handle: Handler | undefined;
  readonly authenticate: ((call: Call) => Promise<PrincipalsByScheme>) | undefined;
}

/**
 * Creates a router from generated routes and your handlers, which get valid input from authenticated callers.
 *
 * @throws TypeError if a handler belongs to no operation, a security handler is missing, or an option is
 *   invalid
 *
 * @example
 * createServer(createTableRouter(routes, { getPet: ({ path }) => ({ status: 200, body: pets.get(path.id) }) }));
 */
export function createTableRouter(
  table: RouteTable,
  handlers: Handlers,
  options: TableRouterOptions = {},
): Router {
  const settings = toSettings(options);
  const { requestId: createId, respondToOptions, findEnv, onCall } = settings;
  const paths = toPaths(table, handlers, settings);
  const { respond, fail } = createResponder(table, settings);

  const createListener =
    (awaitsContinue: boolean): Listener =>
    (request, response, next) => {
      const target = splitTarget(request.url ?? '/');
      // RFC 9112, section 3.2.2: a server "MUST ignore the received Host header field (if any) and instead replace it
      // with the host information of the request-target".
      if (target.host !== undefined) setHeader(request, 'Host', target.host);
      const match = paths.find(target.path);
      if (match === undefined && next !== undefined) {
        next();
        return;
      }
      const operation = match && findOperation(match, request.method);
      const call = new Call(request, response, operation?.route, target, createId, awaitsContinue);
      void serve(call, match, operation);
    };

  /** The flow of a call. Never rejects. */
  async function serve(call: Call, match?: Match<Operation>, operation?: Operation): Promise<void> {
    const { request, rawPath } = call;
    const { method = '' } = request;
    try {
      onCall?.(call);
      const isUnhandled = operation === undefined && method === 'OPTIONS';
      if (isUnhandled && respondToOptions) return respond(call, respondToOptions(call));
      if (match === undefined) throw notFound(rawPath, table.basePath);
      if (operation === undefined) {
        throw notAllowed(method, methodsOf(match, respondToOptions !== undefined));
      }
      const { route, handle, authenticate } = operation;
      const raw = toRawValues(operation, match);
      // Before authentication, so that security handlers only see valid paths.
      call.pathValues = decodeValues(raw, operation);
      if (handle === undefined) {
        throw new HttpError('not-implemented', `Operation ${call.operationId} is not implemented.`);
      }
      if (findEnv !== undefined) call.env = findEnv(call);
      if (authenticate !== undefined) call.security = await authenticate(call);
      let input: ParsedInput;
      try {
        input = readParameters(route, raw, call);
        const body = readBody(route, call, settings.limits);
        Object.assign(input, body instanceof Promise ? await body : body);
      } catch (error) {
        throw toDocumented(error, route);
      }
      respond(call, await handle(input, call));
    } catch (error) {
      await fail(call, error);
    }
  }

  const find: Router['find'] = ({ method, url = '/' }) => {
    const match = paths.find(splitTarget(url).path);
    const operation = match && findOperation(match, method);
    if (match === undefined || operation === undefined) return undefined;
    return { operationId: operation.route.operationId, path: toRawValues(operation, match) };
  };
  return Object.assign(createListener(false), { checkContinue: createListener(true), find });
}

function toPaths(table: RouteTable, handlers: Handlers, { security = {} }: Settings) {
  const paths = new Paths<Operation>();
  for (const route of table.routes) {
    const { operationId, method, path, parameters } = route;
    const greedy = parameters.find((parameter) => parameter.greedy)?.name;
    const existing = paths.add(method, path, greedy, {
      route,
      pathNames: parameterNames(path),
      greedy,
      handle: findHandler(handlers, operationId),
      authenticate: createAuthentication(table, route, security),
    });
    if (existing) throw new TypeError(`${method} ${path} is in the route table more than once.`);
  }
  const operationIds = table.routes.map(({ operationId }) => operationId);
  assertHandlerNames(handlers, operationIds);
  return paths;
}

/** HEAD is GET without the body (RFC 9110, section 9.3.2). */
function findOperation({ operations }: Match<Operation>, method = 'GET'): Operation | undefined {
  return operations.get(method) ?? (method === 'HEAD' ? operations.get('GET') : undefined);
}

function methodsOf({ operations }: Match<Operation>, hasOptions: boolean): readonly string[] {
  const methods = new Set(operations.keys());
  if (methods.has('GET')) methods.add('HEAD');
  if (hasOptions) methods.add('OPTIONS');
  return [...methods];
}

function toRawValues({ pathNames }: Operation, { values }: Match<Operation>) {
  const raw = createNullObject<string>();
  for (let index = 0; index < pathNames.length; index += 1) {
    raw[pathNames[index] as string] = values[index] as string;
  }
  return raw;
}

function decodeValues(raw: Readonly<Record<string, string>>, { greedy, route }: Operation) {
  const decoded = createNullObject<string>();
  for (const name in raw) {
    const value = name === greedy ? raw[name] : decodeText(raw[name] as string);
    if (value === undefined) throw toDocumented(badPath(name), route);
    decoded[name] = value;
  }
  return decoded;
}

/** If the document has a 422, invalid requests get it instead of a 400, as in Prism. */
function toDocumented(error: unknown, { responses }: Route): unknown {
  const is422 = responses.some(({ status }) => status === '422');
  if (!is422 || !(error instanceof HttpError) || error.status !== 400) return error;
  const { kind, message, violations, headers, cause } = error;
  if (kind !== 'invalid-request') return error;
  return new HttpError(kind, message, { status: 422, violations, headers, cause });
}
