import type { Route, RouteTable, SecurityScheme } from '../src/runtime/route-table.ts';
import { describeBody, describeResponses } from './bodies.ts';
import {
  asObject,
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  METHODS,
  type OpenApiDocument,
  toList,
} from './document.ts';
import { describeParameters, toParametersSchema } from './parameters.ts';
import { SchemaSet } from './schema-set.ts';

/**
 * Reads the operations of a document, in its order, and the schemas of their validators. What cannot be served is
 * left out, with a warning.
 */
export function describeOperations(document: OpenApiDocument) {
  const request = new SchemaSet(document, 'request');
  const response = new SchemaSet(document, 'response');
  const context = { document, request, response };
  const { root } = document;
  const securitySchemes = describeSecuritySchemes(root);
  const routes = new Map<string, Route>();
  for (const { path, item, method, operation } of operationsOf(document)) {
    const servers = [operation.servers, item.servers, root.servers].map(toBasePath);
    const fullPath = `${servers.find((each) => each !== undefined) ?? ''}${path}`;
    const key = `${method} ${fullPath.replaceAll(/\{[^}]*\}/g, '{}')}`;
    const security = operation.security ?? root.security ?? [];
    const reason =
      findPathProblem(path) ??
      findSecurityProblem(security, securitySchemes) ??
      (routes.has(key) && `${routes.get(key)?.operationId} matches the same requests`);
    if (reason) {
      document.warn(document.pointerTo(operation), `This operation is not served: ${reason}.`);
      continue;
    }
    const { requestBody, responses, 'x-berth-pass-through': raw } = operation;
    const isRaw = raw === true;
    const parameters = describeParameters(operation, path, document);
    const schema = toParametersSchema(parameters);
    const at = document.pointerTo(operation, 'parameters');
    const validateParameters = request.add(schema, at);
    routes.set(key, {
      operationId: String(operation.operationId),
      method: method.toUpperCase(),
      path: fullPath,
      parameters: parameters.map(([parameter]) => parameter),
      ...(validateParameters && { validateParameters }),
      ...(isObject(requestBody) && !isRaw && { body: describeBody(requestBody, context) }),
      responses: isRaw ? [] : describeResponses(responses, context),
      ...(isRaw && { passThrough: true }),
      ...describeSecurity(security),
    });
  }
  if (routes.size === 0) document.warn('#/paths', 'No operation of this document can be served.');
  const table: RouteTable = {
    title: String(asObject(root.info).title ?? ''),
    basePath: toBasePath(root.servers) ?? '',
    securitySchemes,
    routes: [...routes.values()],
  };
  return { table, request, response };
}

export function operationsOf({ root }: OpenApiDocument) {
  return entriesOf(root.paths).flatMap(([path, value]) => {
    const item = asObject(value);
    const methods = METHODS.filter((method) => isObject(item[method]));
    return methods.map((method) => ({ path, item, method, operation: item[method] as JsonObject }));
  });
}

function findPathProblem(path: string): string | undefined {
  if (!/^\/(?:[^{}?#]|\{[^{}/]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query, an unmatched brace, nor a slash in a parameter name';
  }
  return /(\{[^{}]*\}).*\1/.test(path) ? 'its path has a parameter twice' : undefined;
}

/** Returns `undefined` if there is no list; the servers one level up then apply. */
function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = String(server.url ?? '/');
  for (const [name, variable] of entriesOf(server.variables)) {
    url = url.replaceAll(`{${name}}`, (text) => String(asObject(variable).default ?? text));
  }
  const path = url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

function describeSecuritySchemes(root: JsonObject): Record<string, SecurityScheme> {
  const schemes = entriesOf(asObject(root.components).securitySchemes).flatMap(([id, entry]) => {
    const scheme = toScheme(follow(root, entry));
    return scheme === undefined ? [] : [[id, scheme] as const];
  });
  return Object.fromEntries(schemes);
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
  if (unknown === undefined) return undefined;
  return `there is no valid security scheme ${JSON.stringify(unknown)}. Define it in components.securitySchemes`;
}

function describeSecurity(security: unknown): Pick<Route, 'security' | 'scopes'> {
  const alternatives = toList(security) as Record<string, string[]>[];
  const hasScopes = alternatives.some((each) => Object.values(each).flat().length > 0);
  return { security: alternatives.map(Object.keys), ...(hasScopes && { scopes: alternatives }) };
}
