import type { SecurityScheme } from '../../src/runtime/route-table.ts';
import {
  entriesOf,
  Invalid,
  isObject,
  type JsonObject,
  join,
  type Located,
  type Pointer,
  type Problems,
  RefusedError,
  toList,
  toText,
} from '../old/document.ts';
import { isKnownDialect } from '../schema/normalise.ts';
import { SchemaStore } from '../schema/schema-store.ts';
import type { Model, Operation, ParameterModel } from './model.ts';
import { readBody, readResponses } from './read-content.ts';
import { readParameter } from './read-parameter.ts';

/** @throws RefusedError if it is not an OpenAPI 3 document, or has no operation that can be read */
export function readModel(document: unknown, problems: Problems): Model {
  const openapi = isObject(document) ? document.openapi : undefined;
  if (!isObject(document) || typeof openapi !== 'string' || !/^3\.[01](\.|$)/.test(openapi)) {
    const message = `Only OpenAPI 3.0 and 3.1 and Swagger 2.0 are supported: openapi ${describeVersion(openapi)}.`;
    throw new RefusedError([{ pointer: '#/openapi', message }]);
  }
  const dialect = document.jsonSchemaDialect;
  if (dialect !== undefined && !isKnownDialect(dialect)) {
    problems.warn(
      '#/jsonSchemaDialect',
      `The dialect ${JSON.stringify(dialect)} is not supported: schemas are read as draft 2020-12.`,
    );
  }
  const store = new SchemaStore({ document, is30: openapi.startsWith('3.0'), problems });
  const components = isObject(document.components) ? document.components : {};
  const info = isObject(document.info) ? document.info : {};
  const schemes = readSecuritySchemes(components.securitySchemes, store);
  return {
    title: toText(info.title) ?? '',
    securitySchemes: schemes,
    operations: readOperations(document, schemes, store),
    store,
  };
}

function describeVersion(openapi: unknown): string {
  if (openapi === undefined) return 'is missing';
  // YAML reads an unquoted 3.1 as a number.
  return typeof openapi === 'string' ? `is ${openapi}` : 'must be a string, so put it in quotes';
}

const SCHEMES = '#/components/securitySchemes';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const NONE =
  'This document has no operations. Only operations in paths are generated, not webhooks. Add one, or choose another document.';

/** In the order of the document. */
function readOperations(
  document: JsonObject,
  schemes: Readonly<Record<string, SecurityScheme>>,
  store: SchemaStore,
): Operation[] {
  const unnamed = new Set<Pointer>();
  warnOfOthers(document.servers, '#');
  const paths = entriesOf(document.paths).filter(([path]) => !path.startsWith('x-'));
  const read = paths.flatMap(([path, value]) => {
    const item = store.problems.attempt(() => store.follow(value, pathPointer(path)));
    return item === undefined ? [] : readItem(path, item);
  });
  if (read.length === 0) {
    const { errors } = store.problems;
    throw new RefusedError(errors.length > 0 ? errors : [{ pointer: '#/paths', message: NONE }]);
  }
  return toDistinct(read, unnamed, store.problems);

  /** Only one server can be served, so report the others. */
  function warnOfOthers(servers: unknown, pointer: Pointer): void {
    const others = otherBasePaths(servers);
    if (others.length === 0) return;
    store.problems.warn(
      join(pointer, 'servers'),
      `Only the path of the first server is served, not ${others.join(', ')}. List the server that you want first.`,
    );
  }

  function readItem(path: string, item: Located): Operation[] {
    warnOfOthers(item.value.servers, item.pointer);
    return METHODS.filter((method) => method in item.value).flatMap((method) => {
      const read = () =>
        readOperation(path, item, method, {
          value: item.value[method],
          pointer: join(item.pointer, method),
        });
      return store.problems.attempt(read) ?? [];
    });
  }

  function readOperation(
    path: string,
    item: Located,
    method: string,
    { value, pointer }: { value: unknown; pointer: Pointer },
  ): Operation {
    if (!isObject(value)) {
      throw new Invalid(pointer, 'Expected an operation, which must be an object.');
    }
    const names = readPath(path, pathPointer(path));
    const [server] = [value, item.value, document]
      .map(({ servers }) => toBasePath(servers))
      .filter((each) => each !== undefined);
    warnOfOthers(value.servers, pointer);
    const parameters = readParameters([item, { value, pointer }], store);
    checkPathParameters(names, parameters, pointer);
    const secured = 'security' in value ? { value, pointer } : { value: document, pointer: '#' };
    const { security } = secured.value;
    if (toText(value.operationId) === undefined) unnamed.add(pointer);
    return {
      operationId: toText(value.operationId) ?? toOperationId(method, path),
      pointer,
      method: method.toUpperCase(),
      path: `${server ?? ''}${path}`,
      description: [value.summary, value.description].filter(toText).join('\n\n'),
      deprecated: value.deprecated === true,
      passThrough: value['x-berth-pass-through'] === true,
      parameters,
      body: readBody(value.requestBody, join(pointer, 'requestBody'), store),
      responses: readResponses(value.responses, join(pointer, 'responses'), store),
      security: readSecurity(security, join(secured.pointer, 'security'), schemes),
      scopes: readScopes(security),
    };
  }
}

/** Parameters of an operation override those of its path: OpenAPI 3.1.1 §4.8.9.1. */
function readParameters(owners: readonly Located[], store: SchemaStore): ParameterModel[] {
  const parameters = new Map<string, ParameterModel>();
  for (const { value, pointer } of owners) {
    const own = new Set<string>();
    for (const [index, entry] of toList(value.parameters).entries()) {
      const at = join(pointer, 'parameters', index);
      const model = readParameter(store.follow(entry, at), store);
      if (model === undefined) continue;
      const key = `${model.parameter.in} ${model.parameter.name}`;
      if (own.has(key)) {
        store.problems.error(at, 'This parameter is listed twice. Remove one of them.');
      }
      own.add(key);
      parameters.set(key, model);
    }
  }
  return [...parameters.values()];
}

/**
 * Two operations must not match the same requests or have the same ID.
 *
 * @param unnamed operations without an ID, which get a number if their name is taken
 */
function toDistinct(
  operations: readonly Operation[],
  unnamed: ReadonlySet<Pointer>,
  problems: Problems,
): Operation[] {
  const routes = new Map<string, Pointer>();
  const ids = new Map<string, Pointer>();
  for (const { operationId, method, path, pointer } of operations) {
    const route = `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
    const sameRoute = routes.get(route);
    if (sameRoute !== undefined) {
      problems.error(pointer, `This path matches the same requests as ${sameRoute}.`);
    }
    routes.set(route, pointer);
    if (unnamed.has(pointer)) continue;
    const sameId = ids.get(operationId);
    if (sameId !== undefined) {
      problems.error(
        join(pointer, 'operationId'),
        `operationId ${operationId} is also used by ${sameId}. Give each operation its own ID.`,
      );
    }
    ids.set(operationId, pointer);
  }
  return operations.map((operation) => {
    if (!unnamed.has(operation.pointer)) return operation;
    let { operationId } = operation;
    for (let count = 2; ids.has(operationId); count += 1) {
      operationId = `${operation.operationId}${count}`;
    }
    ids.set(operationId, operation.pointer);
    return { ...operation, operationId };
  });
}

function readSecuritySchemes(value: unknown, store: SchemaStore): Record<string, SecurityScheme> {
  const schemes = entriesOf(value).flatMap(([name, entry]) => {
    const at = join(SCHEMES, name);
    const read = store.problems.attempt(() => {
      const scheme = toScheme(store.follow(entry, at).value);
      if (scheme !== undefined) return scheme;
      throw new Invalid(at, 'This security scheme has no valid type, scheme, name or in.');
    });
    return read === undefined ? [] : [[name, read] as const];
  });
  return Object.fromEntries(schemes);
}

function readSecurity(
  value: unknown,
  pointer: Pointer,
  schemes: Readonly<Record<string, SecurityScheme>>,
): string[][] {
  const alternatives = value === undefined ? [] : value;
  if (!Array.isArray(alternatives) || !alternatives.every(isObject)) {
    throw new Invalid(pointer, 'Expected a list of objects.');
  }
  return alternatives.map((alternative, index) => {
    const names = Object.keys(alternative);
    const unknown = names.find((name) => !Object.hasOwn(schemes, name));
    if (unknown === undefined) return names;
    throw new Invalid(
      join(pointer, index, unknown),
      `There is no security scheme ${JSON.stringify(unknown)}. Add it to components.securitySchemes.`,
    );
  });
}

function readScopes(value: unknown): Record<string, string[]>[] {
  return toList(value).map((alternative) => {
    const entries = entriesOf(alternative).map(([name, scopes]): [string, string[]] => [
      name,
      toList(scopes).filter((scope) => typeof scope === 'string'),
    ]);
    return Object.fromEntries(entries.filter(([, scopes]) => scopes.length > 0));
  });
}

function toScheme(value: Record<string, unknown>): SecurityScheme | undefined {
  const { type, scheme, in: place, name } = value;
  switch (type) {
    case 'http':
      return typeof scheme === 'string' ? { type, scheme: scheme.toLowerCase() } : undefined;
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

/** Returns the names of the parameters in a path. */
function readPath(path: string, pointer: Pointer): string[] {
  if (!path.startsWith('/')) throw new Invalid(pointer, 'A path must start with a slash.');
  if (/[?#]/.test(path)) {
    throw new Invalid(pointer, 'A path has no query and no fragment. Declare parameters instead.');
  }
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    throw new Invalid(pointer, 'The path has an unmatched brace. Write placeholders as {name}.');
  }
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Invalid(pointer, `The path has {${twice}} twice.`);
  return names;
}

/** Checks that the path and the declared parameters have the same names. */
function checkPathParameters(
  names: readonly string[],
  parameters: readonly ParameterModel[],
  pointer: Pointer,
): void {
  const declared = parameters.filter(({ parameter }) => parameter.in === 'path');
  for (const { parameter, pointer: at } of declared) {
    if (names.includes(parameter.name)) continue;
    throw new Invalid(at, `The path has no {${parameter.name}}. Add it, or remove the parameter.`);
  }
  const missing = names.find((name) => !declared.some(({ parameter }) => parameter.name === name));
  if (missing === undefined) return;
  throw new Invalid(
    pointer,
    `{${missing}} has no parameter. Add one with in: path, name: ${missing}, required: true.`,
  );
}

function toOperationId(method: string, path: string): string {
  const words = `${method} ${path}`.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('');
}

function pathPointer(text: string): Pointer {
  return join('#/paths', text);
}

/** `undefined` without a list, in which case the servers one level up apply. */
function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = toText(server.url) ?? '/';
  for (const [name, variable] of entriesOf(server.variables)) {
    const value = isObject(variable) ? toText(variable.default) : undefined;
    if (value !== undefined) url = url.replaceAll(`{${name}}`, value);
  }
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  return trim(path);
}

function otherBasePaths(servers: unknown): string[] {
  const paths = toList(servers).map((server) => toBasePath([server]) ?? '');
  return [...new Set(paths)].slice(1).map((path) => path || '/');
}

function trim(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}
