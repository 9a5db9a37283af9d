import type {
  Content,
  ContentKind,
  DocumentedResponse,
  Parameter,
  ParameterPlace,
  ParameterStyle,
  RequestBody,
  Route,
  RouteTable,
  ScalarType,
  SecurityScheme,
  Validator,
} from '../src/runtime/route-table.ts';
import {
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  join,
  type Located,
  type Pointer,
  type Problems,
  toList,
  toReference,
  toText,
} from './document.ts';
import {
  type Direction,
  membersOf,
  propertiesOf,
  type Schema,
  type SchemaObject,
  SchemaReader,
} from './schemas.ts';

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

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const UNWRAP = 'x-berth-unwrap';
const MORE_CONTENT = 'x-berth-content';

/** Reads the operations of a document, in its order. What cannot be served is left out, with a warning. */
export function readOperations(
  document: JsonObject,
  problems: Problems,
  toValidator: ToValidator,
): RouteTable {
  const reader = new SchemaReader(document);
  const securitySchemes = readSecuritySchemes(document);
  const routes = new Map<string, Route>();
  for (const [path, value] of entriesOf(document.paths)) {
    if (path.startsWith('x-') || !isObject(value)) continue;
    const item = { value, pointer: join('#/paths', path) };
    const methods = METHODS.filter((method) => isObject(value[method]));
    for (const method of methods) {
      const pointer = join(item.pointer, method);
      const route = readOperation(path, item, { value: value[method] as JsonObject, pointer });
      if (route === undefined) continue;
      const key = `${route.method} ${route.path.replace(/\{[^}]*\}/g, '{}')}`;
      const same = routes.get(key);
      if (same === undefined) routes.set(key, route);
      else skip(pointer, `This path matches the same requests as ${same.operationId}`);
    }
  }
  if (routes.size === 0) {
    problems.warn('#/paths', 'This document has no operations that can be served. Add one.');
  }
  warnOfServers(document.servers, '#');
  return {
    title: toText(isObject(document.info) ? document.info.title : undefined) ?? '',
    basePath: toBasePath(document.servers) ?? '',
    securitySchemes,
    routes: [...routes.values()],
  };

  function skip(pointer: Pointer, reason: string): undefined {
    problems.warn(pointer, `${reason}, so this operation is not served. Change one of them.`);
  }

  /** Only one server can be served. */
  function warnOfServers(servers: unknown, pointer: Pointer): void {
    const [, ...others] = new Set(toList(servers).map((each) => toBasePath([each]) || '/'));
    if (others.length === 0) return;
    problems.warn(
      join(pointer, 'servers'),
      `Only the path of the first server is served, not ${others.join(', ')}. List the server that you want first.`,
    );
  }

  function readOperation(path: string, item: Located, operation: Located): Route | undefined {
    const { value, pointer } = operation;
    const operationId = String(value.operationId);
    const invalid = findPathProblem(path);
    if (invalid !== undefined) return skip(pointer, invalid);
    const security = readSecurity(
      'security' in value ? value.security : document.security,
      operation,
    );
    if (security === undefined) return undefined;
    const servers = [value.servers, item.value.servers, document.servers].map(toBasePath);
    warnOfServers(value.servers, pointer);
    warnOfServers(item.value.servers, item.pointer);
    const passThrough = value['x-berth-pass-through'] === true;
    const parameters = readParameters([item, operation], path);
    const validate = (use: SchemaUse) => (passThrough ? undefined : toValidator(use));
    const body = readBody(value.requestBody, join(pointer, 'requestBody'), operationId, validate);
    const validateParameters = toValidator({
      schema: toParametersSchema(parameters),
      pointer: join(pointer, 'parameters'),
      direction: 'request',
      name: `${operationId}-parameters`,
    });
    return {
      operationId,
      method: (pointer.split('/').at(-1) as string).toUpperCase(),
      path: `${servers.find((each) => each !== undefined) ?? ''}${path}`,
      parameters: parameters.map(({ parameter }) => parameter),
      ...(validateParameters && { validateParameters }),
      ...(body && { body }),
      responses: readResponses(value.responses, join(pointer, 'responses'), operationId, validate),
      ...security,
      ...(passThrough && { passThrough }),
    };
  }

  /** `undefined` if no caller could be authenticated. */
  function readSecurity(value: unknown, { pointer }: Located) {
    const all = toList(value).map(entriesOf);
    const known = all.filter((alternative) =>
      alternative.every(([name]) => {
        if (Object.hasOwn(securitySchemes, name)) return true;
        problems.warn(
          pointer,
          `There is no security scheme ${JSON.stringify(name)}, so it authenticates nobody. Add it to components.securitySchemes.`,
        );
        return false;
      }),
    );
    if (known.length === 0 && all.length > 0) {
      return skip(pointer, 'None of its security requirements has all its schemes');
    }
    const scopes = known.map((alternative) =>
      Object.fromEntries(
        alternative
          .map(
            ([name, each]) =>
              [name, toList(each).filter((scope) => typeof scope === 'string')] as const,
          )
          .filter(([, each]) => each.length > 0),
      ),
    );
    return {
      security: known.map((alternative) => alternative.map(([name]) => name)),
      ...(scopes.some((each) => Object.keys(each).length > 0) && { scopes }),
    };
  }

  /** Parameters of an operation override those of its path: OpenAPI 3.1.1 §4.8.9.1. */
  function readParameters(owners: readonly Located[], path: string): ParameterModel[] {
    const models = new Map<string, ParameterModel>();
    for (const { value, pointer } of owners) {
      for (const [index, entry] of toList(value.parameters).entries()) {
        const at = join(pointer, 'parameters', index);
        const model = readParameter(follow(document, entry, at));
        if (model === undefined) continue;
        const { in: place, name } = model.parameter;
        if (place === 'path' && !path.includes(`{${name}}`)) {
          problems.warn(at, `The path has no {${name}}. Add it, or remove the parameter.`);
        } else models.set(`${place} ${name}`, model);
      }
    }
    const pointer = owners.at(-1)?.pointer ?? '#';
    for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
      if (models.has(`path ${name}`)) continue;
      problems.warn(
        pointer,
        `{${name}} has no parameter, so it is not checked. Add one with in: path and name: ${name}.`,
      );
    }
    return [...models.values()];
  }

  /** `undefined` if it must be ignored, or is not supported. */
  function readParameter({ value, pointer }: Located): ParameterModel | undefined {
    const { in: place, name } = value;
    if (typeof name !== 'string' || !isPlace(place)) return undefined;
    if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
    const styles = STYLES[place];
    const style =
      value.style === undefined ? styles[0] : styles.find((each) => each === value.style);
    if (style === undefined) {
      problems.warn(
        join(pointer, 'style'),
        `The style ${value.style} is not supported, so ${place}.${name} is not checked. Use ${styles.join(' or ')}.`,
      );
      return undefined;
    }
    const [entry] = entriesOf(value.content);
    const media = entry && follow(document, entry[1], join(pointer, 'content', entry[0]));
    const source = media ?? { value, pointer };
    const schema = reader.get(join(source.pointer, 'schema'));
    const isText = entry !== undefined && !isJson(entry[0]);
    const shape = entry && isJson(entry[0]) ? AS_JSON : readShape(isText ? true : schema, style);
    if (shape === AS_JSON && entry === undefined) {
      problems.warn(
        join(pointer, 'schema'),
        'Nothing defines how a parameter contains lists and objects inside of others, so it is read as JSON. Use content with application/json.',
      );
    }
    const target = isObject(schema) && 'default' in schema ? schema : reader.resolve(schema);
    const initial = isObject(target) ? target.default : undefined;
    const parameter = {
      name,
      in: place,
      style,
      explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
      required: place === 'path' || value.required === true,
      ...shape,
      ...(value['x-berth-greedy'] === true && { greedy: true as const }),
      ...(initial !== undefined && { default: initial }),
    };
    return { parameter, schema: isText || { $ref: toReference(join(source.pointer, 'schema')) } };
  }

  function readBody(
    value: unknown,
    pointer: Pointer,
    operationId: string,
    validate: ToValidator,
  ): RequestBody | undefined {
    if (value === undefined) return undefined;
    const body = follow(document, value, pointer);
    const medias = readMedias(body.value.content, join(body.pointer, 'content'));
    const wrapper = medias
      .map(({ schema }) => (isObject(schema) ? toText(schema[UNWRAP]) : undefined))
      .find((each) => each !== undefined);
    const flat = wrapper === undefined ? medias : medias.map((each) => toFlat(each, wrapper));
    const content = flat.map((media): Content => {
      const isValidated = media.kind === 'json' || media.kind === 'form' || isPlainText(media);
      const validator =
        isValidated &&
        validate({
          schema: media.schema,
          pointer: media.pointer,
          direction: 'request',
          name: `${operationId}-body`,
        });
      return {
        mediaType: media.mediaType,
        kind: media.kind,
        ...(media.fields?.length && { fields: media.fields }),
        ...(media.additional && { additional: media.additional }),
        ...(validator && { validate: validator }),
      };
    });
    const fields = flat.flatMap(({ schema }) => {
      const target = reader.resolve(schema);
      return isObject(target) ? propertiesOf(target).map(([name]) => name) : [];
    });
    return {
      required: body.value.required === true,
      ...(wrapper !== undefined && { unwrap: wrapper, unwrapFields: [...new Set(fields)] }),
      content,
    };
  }

  /** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
  function toFlat(media: Media, wrapper: string): Media {
    const isWrapped = (schema: Schema) => {
      const target = reader.resolve(schema);
      return isObject(target) && toList(target.required).includes(wrapper);
    };
    const choices = isObject(media.schema) ? membersOf(media.schema, 'oneOf') : [];
    const index = choices.findIndex((each) => !isWrapped(each));
    const schema = choices[index];
    if (schema !== undefined && choices.length === 2 && choices.some(isWrapped)) {
      return { ...media, schema, pointer: join(media.pointer, 'oneOf', index) };
    }
    problems.error(
      media.pointer,
      `${UNWRAP} must be next to a oneOf with two schemas: the flat one, and an object that requires ${JSON.stringify(wrapper)}.`,
    );
    return media;
  }

  /** Statuses first, then ranges, `default` last. If none is documented, any JSON is allowed. */
  function readResponses(
    value: unknown,
    pointer: Pointer,
    operationId: string,
    validate: ToValidator,
  ): DocumentedResponse[] {
    const responses = entriesOf(value)
      .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/i.test(status))
      .map(([status, entry]): DocumentedResponse => {
        const response = follow(document, entry, join(pointer, status));
        const headers = entriesOf(response.value.headers)
          .filter(([name, header]) => {
            const at = join(response.pointer, 'headers', name);
            return (
              name.toLowerCase() !== 'content-type' &&
              follow(document, header, at).value.required === true
            );
          })
          .map(([name]) => name.toLowerCase());
        const medias = ['content', MORE_CONTENT].flatMap((each) =>
          readMedias(response.value[each], join(response.pointer, each)),
        );
        return {
          status: status === 'default' ? status : status.toUpperCase(),
          ...(headers.length > 0 && { requiredHeaders: headers }),
          // Only JSON is validated, because text and bytes may be streams.
          content: medias.map(({ mediaType, kind, schema, pointer: at }): Content => {
            const name = `${operationId}-${status}`;
            const validator =
              kind === 'json' && validate({ schema, pointer: at, direction: 'response', name });
            return { mediaType, kind, ...(validator && { validate: validator }) };
          }),
        };
      });
    if (responses.length > 0) return responses.sort((a, b) => rank(a.status) - rank(b.status));
    return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
  }

  function readMedias(value: unknown, pointer: Pointer): Media[] {
    return entriesOf(value).map(([mediaType, entry]) => {
      const media = follow(document, entry, join(pointer, mediaType));
      const at = join(media.pointer, 'schema');
      const schema = reader.get(at);
      const isStructured = [...typesOf(schema)].some((type) => type !== 'string');
      const kind = toContentKind(mediaType, isStructured);
      const read = { mediaType, kind, schema, pointer: at };
      return kind === 'form' ? { ...read, ...readForm(media, schema) } : read;
    });
  }

  function isPlainText({ kind, schema }: Media): boolean {
    return kind === 'text' && [...typesOf(schema)].every((type) => type === 'string');
  }

  /** The fields of a form. OpenAPI 3.1.1 §4.8.15.1: an object is JSON, unless its encoding has a style. */
  function readForm(media: Located, schema: Schema): Partial<Media> {
    const encodings = new Map(entriesOf(media.value.encoding));
    const properties = mergeProperties(schema);
    const unsupported = new Set<string>();
    const fields = [...properties].flatMap(([name, property]): Parameter[] => {
      const encoding = encodings.get(name);
      const { style = 'form', explode } = isObject(encoding) ? encoding : {};
      const field = { name, in: 'query', style: 'form', explode: true, required: false } as const;
      if (style !== 'form' && style !== 'deepObject') {
        unsupported.add(name);
        problems.warn(
          join(media.pointer, 'encoding', name, 'style'),
          `The style ${style} is not supported, so body.${name} is not checked. Use form or deepObject.`,
        );
        return [{ ...field, shape: 'array', types: ['string'] }];
      }
      const shape = readShape(property, style);
      const isText = style === 'form' && shape.shape === 'object';
      const isExploded = typeof explode === 'boolean' ? explode : style === 'form';
      return [{ ...field, style, explode: isExploded, ...(isText ? AS_JSON : shape) }];
    });
    const additional = readAdditional(schema);
    return {
      fields,
      ...(Array.isArray(additional) && additional.join() !== 'string' && { additional }),
      ...(unsupported.size > 0 && { schema: withoutProperties(schema, unsupported) }),
    };
  }

  function withoutProperties(schema: Schema, names: ReadonlySet<string>): Schema {
    const target = reader.resolve(schema);
    if (!isObject(target)) return target;
    const properties = propertiesOf(target).map(([name, each]) => [
      name,
      names.has(name) ? true : each,
    ]);
    return { ...target, properties: Object.fromEntries(properties) };
  }

  /** A property that several schemas define may match any of them. */
  function mergeProperties(schema: Schema): Map<string, Schema> {
    const merged = new Map<string, Schema>();
    for (const [name, property] of reader.partsOf(schema).flatMap(propertiesOf)) {
      const known = merged.get(name);
      merged.set(name, known === undefined ? property : { anyOf: [known, property] });
    }
    return merged;
  }

  /** The types that a schema allows, or none if it does not restrict them. */
  function typesOf(schema: Schema): Set<ValueType> {
    const parts = reader.partsOf(schema);
    const [first, ...others] = parts.map(toTypes);
    return first === undefined || first.length > 0 ? new Set(first) : new Set(others.flat());
  }

  /**
   * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
   * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
   * those of a single value that is allowed too.
   */
  function readShape(schema: Schema, style: ParameterStyle): Shape {
    const types = typesOf(schema);
    if (types.has('object')) {
      const scalars = toScalars(types);
      const isOther = style !== 'deepObject' && (scalars.length > 0 || types.has('array'));
      const properties = [...mergeProperties(schema)].map(
        ([name, each]) => [name, typesOf(each)] as const,
      );
      const additional = readAdditional(schema);
      if (isOther || additional === 'nested') return AS_JSON;
      if (!properties.every(([, each]) => isScalar(each))) return AS_JSON;
      return {
        shape: 'object',
        types: scalars,
        properties: Object.fromEntries(properties.map(([name, each]) => [name, toScalars(each)])),
        ...(additional && { additional }),
      };
    }
    if (!types.has('array')) return { shape: 'scalar', types: toScalars(types) };
    const parts = reader.partsOf(schema);
    const kinds = parts
      .flatMap((part) => [part.items, ...toList(part.prefixItems)])
      .filter(isObject)
      .map(typesOf);
    const items = new Set(kinds.flatMap((each) => [...each]));
    // Text alone does not distinguish the items of a tuple.
    const isTuple = parts.some((part) => 'prefixItems' in part);
    const isMixed = isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1;
    if (isMixed || !isScalar(items)) return AS_JSON;
    const single = [...types].filter((type) => type !== 'array' && type !== 'null');
    const all = items.size > 0 ? new Set([...items, ...single]) : items;
    return { shape: 'array', types: toScalars(all) };
  }

  /** Types of properties that are not named, or none if there may not be any. */
  function readAdditional(schema: Schema): readonly ScalarType[] | 'nested' | undefined {
    const parts = reader.partsOf(schema);
    const values = parts
      .map((part) => part.additionalProperties)
      .filter((each) => each !== undefined);
    if (values.includes(false)) return undefined;
    const [additional] = values;
    if (additional === undefined) {
      return parts.some((part) => propertiesOf(part).length > 0) ? undefined : ['string'];
    }
    const types = typesOf(additional as Schema);
    return isScalar(types) ? toScalars(types) : 'nested';
  }
}

interface ParameterModel {
  readonly parameter: Parameter;
  readonly schema: Schema;
}

interface Media extends Pick<Content, 'mediaType' | 'kind' | 'fields' | 'additional'> {
  readonly schema: Schema;
  readonly pointer: Pointer;
}

type ValueType = ScalarType | 'array' | 'object';
type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

/** For values that text alone cannot express. */
const AS_JSON: Shape = { shape: 'json', types: [] };

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. Others are not supported. */
const STYLES: Readonly<Record<ParameterPlace, readonly [ParameterStyle, ...ParameterStyle[]]>> = {
  path: ['simple'],
  query: ['form', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

function isPlace(place: unknown): place is ParameterPlace {
  return typeof place === 'string' && Object.hasOwn(STYLES, place);
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

function readSecuritySchemes(document: JsonObject): Record<string, SecurityScheme> {
  const components = isObject(document.components) ? document.components : {};
  const schemes = entriesOf(components.securitySchemes).flatMap(([name, entry]) => {
    const scheme = toScheme(follow(document, entry, '#').value);
    return scheme === undefined ? [] : [[name, scheme] as const];
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

function findPathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'A path must start with a slash';
  if (/[?#]/.test(path)) return 'A path has no query and no fragment';
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, ''))) return 'The path has an unmatched brace';
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? undefined : `The path has {${twice}} twice`;
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

/** `application/json`, `application/problem+json`, with or without parameters. */
function isJson(mediaType: string): boolean {
  return /^(?:application\/json(?:-[a-z-]+)?|[^;]+\+json(?:-[a-z-]+)?)\s*(?:;|$)/i.test(mediaType);
}

/** @param isStructured the schema allows more than text, so that a range of media types means JSON */
function toContentKind(mediaType: string, isStructured: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJson(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (type.startsWith('*/*') || type.startsWith('application/*')) {
    return isStructured ? 'json' : 'binary';
  }
  if (type.startsWith('text/') || /^application\/(?:.+\+)?xml/.test(type)) return 'text';
  return 'binary';
}

/** The types that one schema names, without those of the schemas that it is composed of. */
function toTypes(schema: SchemaObject): ValueType[] {
  const { type } = schema;
  if (type !== undefined) return (Array.isArray(type) ? type : [type]) as ValueType[];
  if ('const' in schema) return [typeOf(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
  if (propertiesOf(schema).length > 0) return ['object'];
  return 'items' in schema ? ['array'] : [];
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value as ValueType;
}

/** Scalar types, in the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** In the order in which text is converted. Without restrictions, only strings. */
function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  return types.size === 0 ? ['string'] : SCALARS.filter((type) => types.has(type));
}

function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}
