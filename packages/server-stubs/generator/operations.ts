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
  mapValues,
  type Pointer,
  type Problems,
  toList,
  toText,
} from './document.ts';
import { isJson, type ParameterModel, readFields, readParameter, typesOf } from './parameters.ts';
import { type Direction, propertiesOf, type Schema, SchemaReader } from './schemas.ts';

/** Returns the validator of a schema, or `undefined` if every value is valid. */
type ToValidator = (
  direction: Direction,
  schema: Schema,
  pointer: Pointer,
) => Validator | undefined;

/** Reads the operations of a document, in its order. What cannot be served is left out, with a warning. */
export function readOperations(
  document: JsonObject,
  problems: Problems,
  toValidator: ToValidator,
): RouteTable {
  const reader = new SchemaReader(document);
  const securitySchemes = readSecuritySchemes(document);
  const routes = new Map<string, Route>();
  for (const [path, item] of entriesOf(document.paths)) {
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined;
      if (isObject(item) && isObject(operation)) readOperation(path, item, method, operation);
    }
  }
  if (routes.size === 0) problems.warn('#/paths', 'This document has no operation to be served.');
  return {
    title: toText(Object(document.info).title) ?? '',
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
    const servers = [operation.servers, item.servers, document.servers].map(toBasePath);
    const fullPath = `${servers.find((each) => each !== undefined) ?? ''}${path}`;
    const key = `${method} ${toComparable(fullPath)}`;
    const security = operation.security ?? document.security ?? [];
    const requirements = toList(security).map(entriesOf);
    const unknown = requirements.flat().find(([name]) => !Object.hasOwn(securitySchemes, name));
    const reason =
      Array.isArray(security) && security.every(isObject)
        ? findReason(path, unknown?.[0], routes.get(key))
        : 'its security must be a list of objects';
    if (reason !== undefined) {
      problems.warn(pointer, `This operation is not served: ${reason}.`);
      return;
    }
    const parameters = readParameters(item, operation, path, pointer);
    const validateParameters = toValidator(
      'request',
      toParametersSchema(parameters),
      join(pointer, 'parameters'),
    );
    routes.set(key, {
      operationId: String(operation.operationId),
      method: method.toUpperCase(),
      path: fullPath,
      parameters: parameters.map(({ parameter }) => parameter),
      ...(validateParameters && { validateParameters }),
      ...(operation['x-berth-pass-through'] === true
        ? { passThrough: true as const, responses: [] }
        : readBodies(operation, pointer)),
      ...readSecurity(requirements),
    });
  }

  function readSecurity(
    requirements: readonly [string, unknown][][],
  ): Pick<Route, 'security' | 'scopes'> {
    const scopes = requirements.map((schemes) =>
      schemes
        .map(([name, each]) => [name, toList(each).map(String)] as const)
        .filter(([, each]) => each.length > 0),
    );
    return {
      security: requirements.map((schemes) => schemes.map(([name]) => name)),
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

  function readBodies(
    { requestBody, responses }: JsonObject,
    pointer: Pointer,
  ): Pick<Route, 'body' | 'responses'> {
    return {
      ...(isObject(requestBody) && { body: readBody(requestBody, join(pointer, 'requestBody')) }),
      responses: readResponses(responses, join(pointer, 'responses')),
    };
  }

  function readBody(value: JsonObject, pointer: Pointer): RequestBody {
    const body = follow(document, value, pointer);
    const content = join(body.pointer, 'content');
    const [first] = Object.keys(Object(body.value.content));
    const schema = first === undefined ? true : reader.get(join(content, first, 'schema'));
    const unwrap = toText(Object(schema)[UNWRAP]);
    const fields = reader.partsOf(toFlat(schema, reader), ['allOf']).flatMap(propertiesOf);
    return {
      required: body.value.required === true,
      ...(unwrap !== undefined && { unwrap, unwrapFields: fields.map(([name]) => name) }),
      content: readContent(body.value.content, content, 'request'),
    };
  }

  /** Statuses first, then ranges, `default` last. If none is documented, any JSON is allowed. */
  function readResponses(value: unknown, pointer: Pointer): DocumentedResponse[] {
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
          content: readContent(
            response.value.content,
            join(response.pointer, 'content'),
            'response',
          ),
        };
      });
    if (responses.length > 0) return responses.sort((a, b) => rank(a.status) - rank(b.status));
    return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
  }

  function readContent(value: unknown, pointer: Pointer, direction: Direction): Content[] {
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
      const validate = isChecked ? toValidator(direction, schema, at) : undefined;
      return {
        mediaType,
        kind,
        ...(form && form.fields.length > 0 && { fields: form.fields }),
        ...(validate && { validate }),
      };
    });
  }
}

const UNWRAP = 'x-berth-unwrap';

/** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
export function toFlat(schema: Schema, reader: SchemaReader): Schema {
  if (!isObject(schema) || typeof schema[UNWRAP] !== 'string') return schema;
  const isFlat = (each: unknown) =>
    reader.partsOf(each, []).every(({ required }) => !toList(required).includes(schema[UNWRAP]));
  return (toList(schema.oneOf).find(isFlat) as Schema | undefined) ?? schema;
}

/** Why an operation cannot be served. */
function findReason(
  path: string,
  unknownScheme: string | undefined,
  same: Route | undefined,
): string | undefined {
  if (unknownScheme !== undefined) {
    return `there is no security scheme ${JSON.stringify(unknownScheme)}. Add it to components.securitySchemes`;
  }
  if (!/^\/(?:[^{}?#]|\{[^{}]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query nor an unmatched brace';
  }
  const names: string[] = path.match(/\{[^{}]*\}/g) ?? [];
  const twice = names.find((name, index) => names.indexOf(name, index + 1) > 0);
  if (twice !== undefined) return `its path has ${twice} twice`;
  return same && `${same.operationId} matches the same requests`;
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

function readSecuritySchemes(document: JsonObject): Record<string, SecurityScheme> {
  const schemes = entriesOf(Object(document.components).securitySchemes).flatMap(([id, entry]) => {
    const scheme = toScheme(follow(document, entry, '#').value);
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
    url = url.replaceAll(`{${name}}`, (text) => toText(Object(variable).default) ?? text);
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
