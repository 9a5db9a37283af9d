import { decodeText } from '../src/runtime/parameters.ts';
import type { Route, RouteTable, SecurityScheme } from '../src/runtime/route-table.ts';
import { describeBody, describeResponses, type ReadContext } from './bodies.ts';
import {
  entriesOf,
  isObject,
  type JsonObject,
  join,
  METHODS,
  mapValues,
  type Pointer,
  toList,
  toText,
} from './document.ts';
import { describeParameter, type ParameterModel } from './parameters.ts';
import type { Schema } from './schemas.ts';

/** Reads the operations of a document, in its order. What cannot be served is left out, with a warning. */
export function describeOperations(context: ReadContext): RouteTable {
  const { reader, problems } = context;
  const { document } = reader;
  const securitySchemes = describeSecuritySchemes(context);
  const routes = new Map<string, Route>();
  for (const { path, item, method, operation } of operationsOf(document)) {
    const itemPointer = join('#/paths', path);
    const pointer = join(itemPointer, method);
    const servers = [operation.servers, item.servers, document.servers].map(toBasePath);
    const fullPath = `${servers.find((each) => each !== undefined) ?? ''}${path}`;
    const key = `${method} ${toComparable(fullPath)}`;
    const security = operation.security ?? document.security ?? [];
    const reason =
      findPathProblem(path) ??
      findSecurityProblem(security, securitySchemes) ??
      (routes.has(key) && `${routes.get(key)?.operationId} matches the same requests`);
    if (reason) {
      problems.warn(pointer, `This operation is not served: ${reason}.`);
      continue;
    }
    const parameters = describeParameters(path, [item, operation], [itemPointer, pointer], context);
    const at = join(pointer, 'parameters');
    const validateParameters = context.toValidator('request', toParametersSchema(parameters), at);
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
    title: toText(Object(document.info).title) ?? '',
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
  let url = toText(server.url) ?? '/';
  for (const [name, variable] of entriesOf(server.variables)) {
    url = url.replaceAll(`{${name}}`, (text) => toText(Object(variable).default) ?? text);
  }
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

/** Paths that match the same requests are equal (RFC 3986, section 6.2.2.2). */
function toComparable(path: string): string {
  const segments = path.replace(/\{[^}]*\}/g, '{}').split('/');
  return JSON.stringify(segments.map((segment) => decodeText(segment) ?? segment));
}

/** Parameters of an operation override those of its path: OpenAPI 3.1.1 §4.8.9.1. */
function describeParameters(
  path: string,
  owners: readonly JsonObject[],
  pointers: readonly Pointer[],
  { reader, problems }: ReadContext,
): ParameterModel[] {
  const models = new Map<string, ParameterModel>();
  for (const [index, { parameters }] of owners.entries()) {
    const pointer = join(pointers[index] as Pointer, 'parameters');
    for (const [position, each] of toList(parameters).entries()) {
      const located = reader.locate(each, join(pointer, position));
      const model = describeParameter(located, reader, problems);
      if (model === undefined) continue;
      const { in: place, name } = model.parameter;
      if (place !== 'path' || path.includes(`{${name}}`)) models.set(`${place} ${name}`, model);
    }
  }
  return [...models.values()];
}

/** A schema for `{ path, query, header, cookie }`. A matching path has all its parameters. */
function toParametersSchema(parameters: readonly ParameterModel[]): Schema {
  if (parameters.length === 0) return true;
  const places = Map.groupBy(parameters, ({ parameter }) => parameter.in);
  const properties = mapValues(Object.fromEntries(places), (models, place) => {
    const each = models as ParameterModel[];
    const required = each.filter(({ parameter }) => parameter.required && place !== 'path');
    const schemas = each.map(({ parameter, schema }) => [parameter.name, schema]);
    return {
      type: 'object',
      properties: Object.fromEntries(schemas),
      ...(required.length > 0 && { required: required.map(({ parameter }) => parameter.name) }),
    };
  });
  return { type: 'object', properties };
}

function describeBodies(
  operation: JsonObject,
  pointer: Pointer,
  context: ReadContext,
): Pick<Route, 'body' | 'responses' | 'passThrough'> {
  if (operation['x-berth-pass-through'] === true) return { passThrough: true, responses: [] };
  const { requestBody, responses } = operation;
  return {
    ...(isObject(requestBody) && {
      body: describeBody(requestBody, join(pointer, 'requestBody'), context),
    }),
    responses: describeResponses(responses, join(pointer, 'responses'), context),
  };
}

function describeSecuritySchemes({ reader }: ReadContext): Record<string, SecurityScheme> {
  const { securitySchemes } = Object(reader.document.components);
  const schemes = entriesOf(securitySchemes).flatMap(([id, entry]) => {
    const scheme = toScheme(reader.locate(entry, '#').value);
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
