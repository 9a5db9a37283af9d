import type { Route, RouteTable, SecurityScheme } from '../src/runtime/route-table.ts';
import { describeBody, describeResponses } from './bodies.ts';
import { entriesOf, follow, isObject, type JsonObject, join, METHODS, toList } from './document.ts';
import { describeParameters, toParametersSchema } from './parameters.ts';
import type { Context } from './schema-set.ts';

/** Reads the operations of a document, in its order. What cannot be served is left out, with a warning. */
export function describeOperations(context: Context): RouteTable {
  const { document, problems } = context;
  const securitySchemes = describeSecuritySchemes(document);
  const routes = new Map<string, Route>();
  for (const { path, item, method, operation } of operationsOf(document)) {
    const pointer = join('#/paths', path, method);
    const servers = [operation.servers, item.servers, document.servers].map(toBasePath);
    const fullPath = `${servers.find((each) => each !== undefined) ?? ''}${path}`;
    const key = `${method} ${fullPath.replaceAll(/\{[^}]*\}/g, '{}')}`;
    const security = operation.security ?? document.security ?? [];
    const reason =
      findPathProblem(path) ??
      findSecurityProblem(security, securitySchemes) ??
      (routes.has(key) && `${routes.get(key)?.operationId} matches the same requests`);
    if (reason) {
      problems.warn(pointer, `This operation is not served: ${reason}.`);
      continue;
    }
    const parameters = describeParameters(operation, path, pointer, context);
    const schema = toParametersSchema(parameters);
    const validateParameters = context.request.add(schema, join(pointer, 'parameters'));
    routes.set(key, {
      operationId: String(operation.operationId),
      method: method.toUpperCase(),
      path: fullPath,
      parameters: parameters.map(({ parameter }) => parameter),
      ...(validateParameters && { validateParameters }),
      ...describeBodies(operation, pointer, context),
      ...describeSecurity(security),
    });
  }
  if (routes.size === 0) problems.warn('#/paths', 'This document has no operation to be served.');
  return {
    title: String(Object(document.info).title ?? ''),
    basePath: toBasePath(document.servers) ?? '',
    securitySchemes,
    routes: [...routes.values()],
  };
}

function operationsOf({ paths }: JsonObject) {
  return entriesOf(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined;
      return isObject(item) && isObject(operation) ? [{ path, item, method, operation }] : [];
    }),
  );
}

function findPathProblem(path: string): string | undefined {
  if (!/^\/(?:[^{}?#]|\{[^{}]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query nor an unmatched brace';
  }
  const names: string[] = path.match(/\{[^{}]*\}/g) ?? [];
  const twice = names.find((name, index) => names.indexOf(name, index + 1) > 0);
  return twice && `its path has ${twice} twice`;
}

/** `undefined` without a list, in which case the servers one level up apply. */
function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = String(server.url ?? '/');
  for (const [name, variable] of entriesOf(server.variables)) {
    url = url.replaceAll(`{${name}}`, (text) => String(Object(variable).default ?? text));
  }
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

function describeBodies(
  { requestBody, responses, 'x-berth-pass-through': passThrough }: JsonObject,
  pointer: string,
  context: Context,
): Pick<Route, 'body' | 'responses' | 'passThrough'> {
  if (passThrough === true) return { passThrough, responses: [] };
  return {
    ...(isObject(requestBody) && {
      body: describeBody(requestBody, join(pointer, 'requestBody'), context),
    }),
    responses: describeResponses(responses, join(pointer, 'responses'), context),
  };
}

function describeSecuritySchemes(document: JsonObject): Record<string, SecurityScheme> {
  const schemes = entriesOf(Object(document.components).securitySchemes);
  return Object.fromEntries(
    schemes.flatMap(([id, entry]) => {
      const scheme = toScheme(follow(document, entry, '#').value);
      return scheme === undefined ? [] : [[id, scheme] as const];
    }),
  );
}

function toScheme({ type, scheme, in: place, name }: JsonObject): SecurityScheme | undefined {
  switch (type) {
    case 'http':
      return { type, scheme: String(scheme).toLowerCase() };
    case 'apiKey':
      if (typeof name !== 'string') return undefined;
      if (place === 'header') return { type, in: place, name: name.toLowerCase() };
      return place === 'query' || place === 'cookie' ? { type, in: place, name } : undefined;
    case 'oauth2':
    case 'openIdConnect':
    case 'mutualTLS':
      return { type };
    default:
      return undefined;
  }
}

function findSecurityProblem(
  security: unknown,
  schemes: Readonly<Record<string, SecurityScheme>>,
): string | undefined {
  if (!Array.isArray(security) || !security.every(isObject)) {
    return 'its security must be a list of objects';
  }
  const unknown = security.flatMap(Object.keys).find((name) => !Object.hasOwn(schemes, name));
  return unknown === undefined
    ? undefined
    : `there is no security scheme ${JSON.stringify(unknown)}. Add it to components.securitySchemes`;
}

function describeSecurity(security: unknown): Pick<Route, 'security' | 'scopes'> {
  const alternatives = toList(security).map(entriesOf);
  const scopes = alternatives.map((schemes) =>
    schemes
      .map(([name, each]) => [name, toList(each).map(String)] as const)
      .filter(([, each]) => each.length > 0),
  );
  return {
    security: alternatives.map((schemes) => schemes.map(([name]) => name)),
    ...(scopes.flat().length > 0 && { scopes: scopes.map((each) => Object.fromEntries(each)) }),
  };
}
