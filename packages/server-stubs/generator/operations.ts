import { decodeText } from '../src/runtime/parameters.ts';
import type {
  Content,
  ContentKind,
  DocumentedResponse,
  RequestBody,
  Route,
  RouteTable,
  SecurityScheme,
  Validator,
} from '../src/runtime/route-table.ts';
import {
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  join,
  METHODS,
  type Pointer,
  type Problems,
  toList,
  toText,
} from './document.ts';
import { isJson, type ParameterModel, readFields, readParameter, typesOf } from './parameters.ts';
import { type Direction, membersOf, propertiesOf, type Schema, SchemaReader } from './schemas.ts';

/** A schema that requests or responses are validated against. */
export interface SchemaUse {
  readonly schema: Schema;
  readonly pointer: Pointer;
  readonly direction: Direction;
  /** A name for its validator, which need not be unique. */
  readonly name: string;
}

/** `undefined` if every value is valid. */
export type ToValidator = (use: SchemaUse) => Validator | undefined;

/** Reads the operations of a document, in its order. What cannot be served is left out, with a warning. */
export function readOperations(
  document: JsonObject,
  problems: Problems,
  toValidator: ToValidator,
): RouteTable {
  const reader = new SchemaReader(document);
  const components = isObject(document.components) ? document.components : {};
  const info = isObject(document.info) ? document.info : {};
  const securitySchemes = readSecuritySchemes(components.securitySchemes);
  const routes = new Map<string, Route>();
  for (const [path, item] of entriesOf(document.paths)) {
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined;
      if (isObject(item) && isObject(operation)) readOperation(path, item, method, operation);
    }
  }
  if (routes.size === 0) problems.warn('#/paths', 'This document has no operation to be served.');
  return {
    title: toText(info.title) ?? '',
    basePath: toBasePath(document.servers) ?? '',
    securitySchemes,
    routes: [...routes.values()],
  };

  function readOperation(
    path: string,
    item: JsonObject,
    method: string,
    operation: JsonObject,
  ): void {
    const pointer = join('#/paths', path, method);
    const operationId = String(operation.operationId);
    const servers = [operation.servers, item.servers, document.servers].map(toBasePath);
    const fullPath = `${servers.find((each) => each !== undefined) ?? ''}${path}`;
    const key = `${method} ${toComparable(fullPath)}`;
    const requirements = toList(operation.security ?? document.security).map(entriesOf);
    const security = readSecurity(requirements, pointer);
    const reason = findReason(path, routes.get(key), requirements.length > 0 && security.security);
    if (reason !== undefined) {
      problems.warn(pointer, `This operation is not served: ${reason}.`);
      return;
    }
    const passThrough = operation['x-berth-pass-through'] === true;
    const parameters = readParameters(item, operation, path, pointer);
    const validateParameters = toValidator({
      schema: toParametersSchema(parameters),
      pointer,
      direction: 'request',
      name: `${operationId}-parameters`,
    });
    const use = (direction: Direction, name: string): ContentUse => ({
      direction,
      name: `${operationId}-${name}`,
      validate: passThrough ? () => undefined : toValidator,
    });
    const body = readBody(operation.requestBody, join(pointer, 'requestBody'), use);
    routes.set(key, {
      operationId,
      method: method.toUpperCase(),
      path: fullPath,
      parameters: parameters.map(({ parameter }) => parameter),
      ...(validateParameters && { validateParameters }),
      ...(body && { body }),
      responses: readResponses(operation.responses, join(pointer, 'responses'), use),
      ...security,
      ...(passThrough && { passThrough }),
    });
  }

  /** Requirements with a scheme that does not exist are left out: they authenticate nobody. */
  function readSecurity(
    requirements: readonly [string, unknown][][],
    pointer: Pointer,
  ): Pick<Route, 'security' | 'scopes'> {
    const known = requirements.filter((schemes) => {
      const unknown = schemes.find(([name]) => !Object.hasOwn(securitySchemes, name));
      if (unknown === undefined) return true;
      const name = JSON.stringify(unknown[0]);
      const fix = 'Add it to components.securitySchemes.';
      problems.warn(
        pointer,
        `There is no security scheme ${name}, so it authenticates nobody. ${fix}`,
      );
      return false;
    });
    const scopes = known.map((schemes) =>
      schemes
        .map(([name, each]) => [name, toList(each).map(String)] as const)
        .filter(([, each]) => each.length > 0),
    );
    return {
      security: known.map((schemes) => schemes.map(([name]) => name)),
      ...(scopes.flat().length > 0 && { scopes: scopes.map((each) => Object.fromEntries(each)) }),
    };
  }

  /** Parameters of an operation override those of its path: OpenAPI 3.1.1 §4.8.9.1. */
  function readParameters(
    item: JsonObject,
    operation: JsonObject,
    path: string,
    pointer: Pointer,
  ): ParameterModel[] {
    const models = new Map<string, ParameterModel>();
    const read = (value: unknown, at: Pointer) => {
      for (const [index, each] of toList(value).entries()) {
        const located = follow(document, each, join(at, 'parameters', index));
        const model = readParameter(located, reader, problems);
        if (model === undefined) continue;
        const { in: place, name } = model.parameter;
        if (place !== 'path' || path.includes(`{${name}}`)) models.set(`${place} ${name}`, model);
      }
    };
    read(item.parameters, join('#/paths', path));
    read(operation.parameters, pointer);
    return [...models.values()];
  }

  function readBody(value: unknown, pointer: Pointer, use: ToUse): RequestBody | undefined {
    if (!isObject(value)) return undefined;
    const body = follow(document, value, pointer);
    const content = join(body.pointer, 'content');
    const [first] = Object.keys(Object(body.value.content));
    const schema = first === undefined ? true : reader.get(join(content, first, 'schema'));
    const unwrap = isObject(schema) ? toText(schema[UNWRAP]) : undefined;
    const fields = reader.partsOf(toFlat(schema, reader), ['allOf']).flatMap(propertiesOf);
    return {
      required: body.value.required === true,
      ...(unwrap !== undefined && { unwrap, unwrapFields: fields.map(([name]) => name) }),
      content: readContent(body.value.content, content, use('request', 'body')),
    };
  }

  /** Statuses first, then ranges, `default` last. If none is documented, any JSON is allowed. */
  function readResponses(value: unknown, pointer: Pointer, use: ToUse): DocumentedResponse[] {
    const responses = entriesOf(value)
      .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/i.test(status))
      .map(([status, entry]): DocumentedResponse => {
        const response = follow(document, entry, join(pointer, status));
        const headers = entriesOf(response.value.headers)
          .filter(([, header]) => follow(document, header, '#').value.required === true)
          .map(([name]) => name.toLowerCase())
          .filter((name) => name !== 'content-type');
        return {
          status: status === 'default' ? status : status.toUpperCase(),
          ...(headers.length > 0 && { requiredHeaders: headers }),
          content: ['content', MORE_CONTENT].flatMap((each) => {
            const at = join(response.pointer, each);
            return readContent(response.value[each], at, use('response', status));
          }),
        };
      });
    if (responses.length > 0) return responses.sort((a, b) => rank(a.status) - rank(b.status));
    return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
  }

  function readContent(value: unknown, pointer: Pointer, use: ContentUse): Content[] {
    const { direction, name, validate } = use;
    return entriesOf(value).map(([mediaType, entry]): Content => {
      const media = follow(document, entry, join(pointer, mediaType));
      const at = join(media.pointer, 'schema');
      const schema = toFlat(reader.get(at), reader);
      const isText = [...typesOf(schema, reader)].every((type) => type === 'string');
      const kind = toContentKind(mediaType, isText);
      // Of responses, only JSON is validated, because text and bytes may be streams.
      const isRequest = direction === 'request';
      const form = kind === 'form' && isRequest && readFields(media, schema, reader, problems);
      const isChecked =
        kind === 'json' || (isRequest && (form ? form.isSupported : kind === 'text' && isText));
      const validator = isChecked && validate({ schema, pointer: at, direction, name });
      return {
        mediaType,
        kind,
        ...(form && form.fields.length > 0 && { fields: form.fields }),
        ...(validator && { validate: validator }),
      };
    });
  }

  function readSecuritySchemes(value: unknown): Record<string, SecurityScheme> {
    const schemes = entriesOf(value).flatMap(([name, entry]) => {
      const scheme = toScheme(follow(document, entry, '#').value);
      return scheme === undefined ? [] : [[name, scheme] as const];
    });
    return Object.fromEntries(schemes);
  }
}

const UNWRAP = 'x-berth-unwrap';
const MORE_CONTENT = 'x-berth-content';

interface ContentUse {
  readonly direction: Direction;
  readonly name: string;
  readonly validate: ToValidator;
}

type ToUse = (direction: Direction, name: string) => ContentUse;

/** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
function toFlat(schema: Schema, reader: SchemaReader): Schema {
  if (!isObject(schema) || typeof schema[UNWRAP] !== 'string') return schema;
  const isFlat = (each: Schema) => {
    const target = reader.resolve(each);
    return isObject(target) && !toList(target.required).includes(schema[UNWRAP]);
  };
  return membersOf(schema, 'oneOf').find(isFlat) ?? schema;
}

/** Why an operation cannot be served. */
function findReason(
  path: string,
  same: Route | undefined,
  security: false | Route['security'],
): string | undefined {
  if (!/^\/(?:[^{}?#]|\{[^{}]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query nor an unmatched brace';
  }
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `its path has {${twice}} twice`;
  if (same !== undefined) return `${same.operationId} matches the same requests`;
  if (security && security.length === 0) return 'none of its security requirements can be met';
  return undefined;
}

/** A schema for `{ path, query, header, cookie }`. A matching path has all its parameters. */
function toParametersSchema(parameters: readonly ParameterModel[]): Schema {
  const places = [...new Set(parameters.map(({ parameter }) => parameter.in))].map((place) => {
    const here = parameters.filter(({ parameter }) => parameter.in === place);
    const required = here
      .filter(({ parameter }) => parameter.required && place !== 'path')
      .map(({ parameter }) => parameter.name);
    const properties = here.map(({ parameter, schema }) => [parameter.name, schema]);
    return [
      place,
      {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(required.length > 0 && { required }),
      },
    ];
  });
  return places.length === 0 || { type: 'object', properties: Object.fromEntries(places) };
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

/** Paths that match the same requests are equal (RFC 3986, section 6.2.2.2). */
function toComparable(path: string): string {
  const segments = path.replace(/\{[^}]*\}/g, '{}').split('/');
  return JSON.stringify(segments.map((segment) => decodeText(segment) ?? segment));
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
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

function rank(status: string): number {
  if (status === 'default') return 2;
  return status.endsWith('XX') ? 1 : 0;
}

/** @param isText the schema allows nothing but text, so that a range of media types does not mean JSON */
function toContentKind(mediaType: string, isText: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJson(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/^(?:\*|application)\/\*/.test(type)) return isText ? 'binary' : 'json';
  return /^(?:text\/|application\/(?:.+\+)?xml)/.test(type) ? 'text' : 'binary';
}
