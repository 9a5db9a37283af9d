import type { SecurityScheme } from '../../src/runtime/route-table.ts';
import {
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Located,
  type Pointer,
  type Problems,
  RefusedError,
  toList,
  toText,
  Unusable,
} from '../document.ts';
import { isKnownDialect } from '../schema/normalise.ts';
import { SchemaStore } from '../schema/schema-store.ts';
import type { Model, Operation, ParameterModel } from './model.ts';
import { readBody, readResponses } from './read-content.ts';
import { readParameter } from './read-parameter.ts';
import {
  matchParameters,
  otherBasePaths,
  pathPointer,
  readPath,
  toBasePath,
  toOperationId,
  trim,
} from './read-path.ts';

interface ReadOptions {
  readonly basePath?: string | undefined;
  /** Whether to leave out the responses of operations. */
  readonly requestsOnly?: boolean;
}

/** @throws RefusedError if it is not an OpenAPI 3 document, or has no operation that can be used */
export function readModel(document: unknown, problems: Problems, options: ReadOptions = {}): Model {
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
    operations: readOperations(document, options, schemes, store),
    store,
  };
}

function describeVersion(openapi: unknown): string {
  if (openapi === undefined) return 'is missing';
  // YAML reads an unquoted 3.1 as a number.
  return typeof openapi === 'string' ? `is ${openapi}` : 'must be a string, so put it in quotes';
}

const SCHEMES = '#/components/securitySchemes';

/** The document does not say where the credential is: the security handler has to find it. */
const UNKNOWN_SCHEME: SecurityScheme = { type: 'unknown' };

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * In the order of the document. An operation that cannot be used is left out with a warning.
 *
 * @param schemes those that an operation requires and the document does not have are added
 */
function readOperations(
  document: JsonObject,
  { basePath, requestsOnly }: ReadOptions,
  schemes: Record<string, SecurityScheme>,
  store: SchemaStore,
): Operation[] {
  noteOthers(document.servers, '#');
  const read = entriesOf(document.paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => {
      const consequence = 'The path is left out.';
      const item = store.problems.attempt(consequence, () =>
        store.follow(value, pathPointer(path)),
      );
      return item === undefined ? [] : readItem(path, item);
    });
  const operations = toDistinct(read, store);
  if (operations.length > 0) return operations;
  const none =
    'This document has no operations. Only operations in paths are generated, not webhooks. Add one, or choose another document.';
  const { warnings } = store.problems;
  throw new RefusedError(warnings.length > 0 ? warnings : [{ pointer: '#/paths', message: none }]);

  /** Only one server can be served, so report the others. */
  function noteOthers(servers: unknown, pointer: Pointer): void {
    const others = otherBasePaths(servers);
    if (basePath !== undefined || others.length === 0) return;
    store.problems.note(
      join(pointer, 'servers'),
      `Only the path of the first server is served, not ${others.join(', ')}. Use --base-path to choose another.`,
    );
  }

  function readItem(text: string, item: Located): Operation[] {
    noteOthers(item.value.servers, item.pointer);
    return methodsOf(item.value, item.pointer).flatMap(([method, value, pointer]) => {
      const read = () => readOperation(text, item, method, value, pointer);
      return store.problems.attempt('The operation is left out.', read) ?? [];
    });
  }

  function readOperation(
    text: string,
    item: Located,
    method: string,
    value: unknown,
    pointer: Pointer,
  ): Operation {
    if (!isObject(value)) {
      throw new Unusable(pointer, 'Expected an operation, which must be an object.');
    }
    const template = readPath(text, pathPointer(text), store);
    const [server] = [value, item.value, document]
      .map(({ servers }) => toBasePath(servers))
      .filter((path) => path !== undefined);
    const base = basePath === undefined ? server : trim(basePath);
    noteOthers(value.servers, pointer);
    const parameters = readParameters([item, { value, pointer }], store);
    const secured = 'security' in value ? { value, pointer } : { value: document, pointer: '#' };
    const { security } = secured.value;
    return {
      operationId: toText(value.operationId) ?? toOperationId(method, text),
      pointer,
      method,
      writtenPath: text,
      path: `${base ?? ''}${template.path}`,
      query: template.query,
      description: [value.summary, value.description].filter(toText).join('\n\n'),
      deprecated: value.deprecated === true,
      passThrough: value['x-berth-pass-through'] === true,
      parameters: matchParameters(template, parameters, pointer, store),
      body: readBody(value.requestBody, join(pointer, 'requestBody'), store),
      responses: requestsOnly
        ? []
        : readResponses(value.responses, join(pointer, 'responses'), store),
      security: readSecurity(security, join(secured.pointer, 'security'), schemes, store),
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
        store.problems.warn(
          at,
          'This parameter is listed twice: the last one is used. Remove one of them.',
        );
      }
      own.add(key);
      parameters.set(key, model);
    }
  }
  return [...parameters.values()];
}

function methodsOf(item: JsonObject, pointer: Pointer): [string, unknown, Pointer][] {
  return METHODS.filter((method) => method in item).map((method) => [
    method.toUpperCase(),
    item[method],
    join(pointer, method),
  ]);
}

/** Operations that match the same requests as one before them are left out. */
function toDistinct(operations: readonly Operation[], store: SchemaStore): Operation[] {
  const ids = new Set(operations.map(({ operationId }) => operationId));
  const used = new Map<string, Pointer>();
  const routes = new Map<string, Pointer>();
  return operations.flatMap((operation) => {
    const { operationId, method, path, query, pointer } = operation;
    const route = `${method} ${path.replace(/\{[^}]*\}/g, '{}')} ${JSON.stringify(query ?? {})}`;
    const sameRoute = routes.get(route);
    if (sameRoute !== undefined) {
      store.problems.warn(
        pointer,
        `This path matches the same requests as ${sameRoute}. The operation is left out.`,
      );
      return [];
    }
    routes.set(route, pointer);
    const sameId = used.get(operationId);
    used.set(operationId, sameId ?? pointer);
    if (sameId === undefined) return [operation];
    let count = 2;
    while (ids.has(`${operationId}${count}`)) count += 1;
    const distinct = `${operationId}${count}`;
    ids.add(distinct);
    store.problems.warn(
      join(pointer, 'operationId'),
      `operationId ${operationId} is also used by ${sameId}, so this operation is named ${distinct}. Give each operation its own ID.`,
    );
    return [{ ...operation, operationId: distinct }];
  });
}

function readSecuritySchemes(value: unknown, store: SchemaStore): Record<string, SecurityScheme> {
  const schemes = entriesOf(value).map(([name, entry]) => {
    const at = join(SCHEMES, name);
    const consequence = 'Its handler gets every request without a credential.';
    const read = store.problems.attempt(consequence, () => {
      const scheme = toScheme(store.follow(entry, at).value);
      if (scheme !== undefined) return scheme;
      throw new Unusable(at, 'The type of this security scheme is not supported.');
    });
    return [name, read ?? UNKNOWN_SCHEME] as const;
  });
  return Object.fromEntries(schemes);
}

function readSecurity(
  value: unknown,
  pointer: Pointer,
  schemes: Record<string, SecurityScheme>,
  store: SchemaStore,
): string[][] {
  const alternatives = value === undefined ? [] : value;
  if (!Array.isArray(alternatives) || !alternatives.every(isObject)) {
    throw new Unusable(pointer, 'Expected a list of objects.');
  }
  return alternatives.map((alternative, index) => {
    const names = Object.keys(alternative);
    for (const name of names.filter((each) => !Object.hasOwn(schemes, each))) {
      store.problems.warn(
        join(pointer, index, name),
        `There is no security scheme ${JSON.stringify(name)}: its handler gets every request without a credential. Add it to components.securitySchemes.`,
      );
      // A scheme may be named `__proto__`.
      Object.defineProperty(schemes, name, { value: UNKNOWN_SCHEME, enumerable: true });
    }
    return names;
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
