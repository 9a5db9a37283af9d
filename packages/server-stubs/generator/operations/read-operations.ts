import type { SecurityScheme } from '../../src/runtime/route-table.ts';
import {
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  toList,
  toText,
} from '../document.ts';
import type { Operation, ParameterModel } from './model.ts';
import { readBody, readResponses } from './read-content.ts';
import { readParameter } from './read-parameter.ts';
import {
  matchParameters,
  otherBasePaths,
  pathPointer,
  readPath,
  toBasePath,
  toOperationId,
} from './read-path.ts';
import type { Reader } from './reader.ts';

const SCHEMES = '#/components/securitySchemes';

/** OpenAPI 3.2 added `query`. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

interface OperationSettings {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Used instead of the document's servers. */
  readonly basePath?: string;
}

/** Reads all operations, in document order. */
export function readOperations(
  document: JsonObject,
  settings: OperationSettings,
  reader: Reader,
): Operation[] {
  const refusedBefore = reader.problems.refusals.length;
  if (document.paths !== undefined && !isObject(document.paths)) {
    reader.refuse('#/paths', 'Expected paths: an object with one property per path.');
  }
  noteOthers(document.servers, '#');
  const operations = entriesOf(document.paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => {
      const item = reader.follow(value, pathPointer(path));
      return item === undefined ? [] : readItem(path, item.value, item.pointer);
    });
  refuseDuplicates(operations, reader);
  // The only operation may have been refused.
  if (operations.length === 0 && reader.problems.refusals.length === refusedBefore) {
    reader.refuse(
      '#/paths',
      'This document has no operations. Only operations in paths are generated, not webhooks.',
    );
  }
  return operations;

  /** Only one server can be served, so report the others. */
  function noteOthers(servers: unknown, pointer: Pointer): void {
    const others = otherBasePaths(servers);
    if (settings.basePath !== undefined || others.length === 0) return;
    reader.note(
      join(pointer, 'servers'),
      `Only the path of the first server is served, not ${others.join(', ')}. Use --base-path to choose another.`,
    );
  }

  function readItem(text: string, item: JsonObject, pointer: Pointer): Operation[] {
    noteOthers(item.servers, pointer);
    return methodsOf(item, pointer).flatMap(([method, value, at]) => {
      const template = readPath(text, pathPointer(text), reader);
      if (!isObject(value)) {
        reader.refuse(at, 'Expected an operation object.');
        return [];
      }
      if (template === undefined) return [];
      const path = toPath(template.path, value, item);
      noteOthers(value.servers, at);
      const parameters = readParameters(item, value, pointer, at);
      const isSecured = 'security' in value ? value : document;
      const body = readBody(value.requestBody, join(at, 'requestBody'), reader);
      return {
        operationId: toText(value.operationId) ?? toOperationId(method, text),
        pointer: at,
        method,
        path,
        description: [value.summary, value.description].filter(toText).join('\n\n'),
        deprecated: value.deprecated === true,
        passThrough: value['x-berth-pass-through'] === true,
        parameters: matchParameters(template, parameters, at, reader),
        ...(body === undefined ? {} : { body }),
        responses: readResponses(value.responses, join(at, 'responses'), reader),
        security: readSecurity(
          isSecured.security,
          join(isSecured === value ? at : '#', 'security'),
          settings.schemes,
          reader,
        ),
        scopes: readScopes(isSecured.security),
      };
    });
  }

  function toPath(path: string, operation: JsonObject, item: JsonObject): string {
    const base =
      settings.basePath ??
      toBasePath(operation.servers) ??
      toBasePath(item.servers) ??
      toBasePath(document.servers) ??
      '';
    return `${base}${path}`;
  }

  /** Operation parameters override path parameters: OpenAPI 3.1.1 §4.8.9.1. */
  function readParameters(
    item: JsonObject,
    operation: JsonObject,
    itemPointer: Pointer,
    pointer: Pointer,
  ): ParameterModel[] {
    const parameters = new Map<string, ParameterModel>();
    for (const [owner, at] of [
      [item, itemPointer],
      [operation, pointer],
    ] as const) {
      const own = new Set<string>();
      toList(owner.parameters).forEach((value, index) => {
        const found = reader.follow(value, join(at, 'parameters', index));
        const model = found && readParameter(found.value, found.pointer, reader);
        if (model === undefined) return;
        const key = `${model.parameter.in} ${model.parameter.name}`;
        if (own.has(key)) {
          reader.refuse(
            join(at, 'parameters', index),
            'This parameter is listed twice. Remove one of them.',
          );
        }
        own.add(key);
        parameters.set(key, model);
      });
    }
    return [...parameters.values()];
  }
}

function methodsOf(item: JsonObject, pointer: Pointer): [string, unknown, Pointer][] {
  const additional = join(pointer, 'additionalOperations');
  return [
    ...METHODS.filter((method) => method in item).map((method): [string, unknown, Pointer] => [
      method.toUpperCase(),
      item[method],
      join(pointer, method),
    ]),
    ...entriesOf(item.additionalOperations).map(([method, value]): [string, unknown, Pointer] => [
      method,
      value,
      join(additional, method),
    ]),
  ];
}

/** Refuses operations that share an operationId or a route. */
function refuseDuplicates(operations: readonly Operation[], reader: Reader): void {
  const ids = new Map<string, Pointer>();
  const routes = new Map<string, Pointer>();
  for (const { operationId, method, path, pointer } of operations) {
    const route = `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
    const sameId = ids.get(operationId);
    const sameRoute = routes.get(route);
    if (sameId !== undefined) {
      reader.refuse(
        pointer,
        `operationId ${operationId} is also used by ${sameId}. Rename one of them.`,
      );
    }
    if (sameRoute !== undefined) {
      reader.refuse(
        pointer,
        `This path matches the same requests as ${sameRoute}. Change one of the paths.`,
      );
    }
    ids.set(operationId, pointer);
    routes.set(route, pointer);
  }
}

/** Reads all security schemes in the components. */
export function readSecuritySchemes(
  value: unknown,
  reader: Reader,
): Readonly<Record<string, SecurityScheme>> {
  const schemes = entriesOf(value).flatMap(([name, entry]) => {
    const scheme = reader.follow(entry, join(SCHEMES, name));
    const read = scheme && toScheme(scheme.value);
    if (read !== undefined) return [[name, read] as const];
    reader.refuse(join(SCHEMES, name), 'This type of security scheme is not supported.');
    return [];
  });
  return Object.fromEntries(schemes);
}

/** Reads the alternatives for an operation, or those that the document sets for all. */
function readSecurity(
  value: unknown,
  pointer: Pointer,
  schemes: Readonly<Record<string, SecurityScheme>>,
  reader: Reader,
): string[][] {
  return toList(value).map((alternative, index) => {
    const names = isObject(alternative) ? Object.keys(alternative) : [];
    for (const name of names.filter((each) => !Object.hasOwn(schemes, each))) {
      reader.refuse(
        join(pointer, index, name),
        `Unknown security scheme ${JSON.stringify(name)}. Add it to components.securitySchemes.`,
      );
    }
    return names;
  });
}

/** Reads the scopes of each alternative, by scheme. Omits schemes without scopes. */
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
