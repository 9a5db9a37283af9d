import type {
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ScalarType,
} from '../src/runtime/route-table.ts';
import {
  asObject,
  entriesOf,
  follow,
  type JsonObject,
  type OpenApiDocument,
  toList,
  toReference,
} from './document.ts';
import { partsOf, propertiesOf } from './schemas.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. Others are not supported. */
const STYLES: Readonly<Record<ParameterPlace, readonly [ParameterStyle, ...ParameterStyle[]]>> = {
  path: ['simple'],
  query: ['form', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

/**
 * Returns the parameters of an operation, without those that must be ignored or are not supported, and a schema for
 * `{ path, query, header, cookie }`.
 */
export function describeParameters(
  operation: JsonObject,
  path: string,
  document: OpenApiDocument,
): { parameters: Parameter[]; schema: unknown } {
  const described = toList(operation.parameters)
    .map((each) => describeParameter(follow(document.root, each), document))
    .filter((each) => each !== undefined)
    .filter(({ parameter: { in: place, name } }) => place !== 'path' || path.includes(`{${name}}`));
  const parameters = described.map(({ parameter }) => parameter);
  const places = Map.groupBy(described, ({ parameter }) => parameter.in);
  const schemas = [...places].map(([place, members]) => {
    const properties = members.map(({ parameter, schema }) => [parameter.name, schema]);
    // A path that matches has all its parameters.
    const required = parameters.filter(
      (each) => each.in === place && each.required && place !== 'path',
    );
    const schema = {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.map(({ name }) => name),
    };
    return [place, schema];
  });
  const schema = parameters.length === 0 || {
    type: 'object',
    properties: Object.fromEntries(schemas),
  };
  return { parameters, schema };
}

function describeParameter(value: JsonObject, document: OpenApiDocument) {
  const { root } = document;
  const place = Object.keys(STYLES).find((each) => each === value.in) as ParameterPlace | undefined;
  const name = String(value.name);
  if (place === undefined || (place === 'header' && IGNORED_HEADERS.test(name))) return undefined;
  const style = toStyle(value, place, `${place}.${name}`, document);
  if (style === undefined) return undefined;
  const [[mediaType, media] = ['', value]] = entriesOf(value.content);
  const { schema } = asObject(media);
  const at = document.pointerTo(media, 'schema');
  const isExploded = place === 'query' && style.explode;
  const shape = isJson(mediaType) ? AS_JSON : describeShape(root, schema, style.style, isExploded);
  const canHoldObject =
    isJson(mediaType) ||
    style.style === 'deepObject' ||
    (isExploded && propertiesOf(root, schema).length > 0);
  if (!canHoldObject && typesOf(root, schema).has('object')) {
    const message = `An object in this style is not supported, so ${place}.${name} is not checked.`;
    document.warn(at, `${message} Use content with application/json.`);
    return undefined;
  }
  const initial = asObject(schema).default ?? follow(root, schema).default;
  const parameter: Parameter = {
    name,
    in: place,
    ...style,
    required: place === 'path' || value.required === true,
    ...shape,
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(initial !== undefined && { default: initial }),
  };
  // A reference, so that what is invalid in the schema has its place.
  return { parameter, schema: schema === undefined || { $ref: toReference(at) } };
}

/** The fields of a form. OpenAPI 3.1.1 §4.8.15.1: an object is JSON, unless its encoding has a style. */
export function describeFields(
  media: unknown,
  schema: unknown,
  document: OpenApiDocument,
): { fields: Parameter[]; isSupported: boolean } {
  const encodings = new Map(entriesOf(asObject(media).encoding));
  const properties = new Map(propertiesOf(document.root, schema));
  const fields = [...properties].flatMap(([name, property]): Parameter[] => {
    const style = toStyle(asObject(encodings.get(name)), 'query', 'this form', document);
    if (style === undefined) return [];
    const shape = describeShape(document.root, property, style.style, false);
    return [{ name, in: 'query', ...style, required: false, ...shape }];
  });
  return { fields, isSupported: fields.length === properties.size };
}

/** `undefined` if the style is not supported. */
function toStyle(
  object: JsonObject,
  place: ParameterPlace,
  what: string,
  document: OpenApiDocument,
): Pick<Parameter, 'style' | 'explode'> | undefined {
  const { style: requested, explode } = object;
  const styles = STYLES[place];
  const style = styles.find((each) => each === (requested ?? styles[0]));
  if (style !== undefined) {
    return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
  }
  const message = `The style ${requested} is not supported, so ${what} is not checked.`;
  document.warn(document.pointerTo(object, 'style'), `${message} Use ${styles.join(' or ')}.`);
  return undefined;
}

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i.test(mediaType);
}

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties'>;

/** For values that are too complex for any style. */
const AS_JSON: Shape = { shape: 'json', types: [] };

/**
 * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
 * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
 * those of a single value that is allowed too.
 *
 * @param isExploded whether each property is a separate name in the query
 */
function describeShape(
  root: JsonObject,
  schema: unknown,
  style: ParameterStyle,
  isExploded: boolean,
): Shape {
  const types = typesOf(root, schema);
  if (types.has('object')) {
    const properties = propertiesOf(root, schema).map(
      ([name, each]) => [name, typesOf(root, each)] as const,
    );
    const isFlat = properties.length > 0 && properties.every(([, each]) => isScalar(each));
    if (style !== 'deepObject' && !(isExploded && isFlat)) return AS_JSON;
    const scalars = properties.map(([name, each]) => [name, toScalars(each)]);
    return { shape: 'object', types: toScalars(types), properties: Object.fromEntries(scalars) };
  }
  if (!types.has('array')) return { shape: 'scalar', types: toScalars(types) };
  const items = partsOf(root, schema).flatMap((part) => [...typesOf(root, part.items)]);
  const itemTypes = new Set(items);
  return isScalar(itemTypes) ? { shape: 'array', types: toScalars(itemTypes) } : AS_JSON;
}

type ValueType = ScalarType | 'array' | 'object';

/** The types that a schema allows, or none if it does not restrict them. */
export function typesOf(root: JsonObject, schema: unknown): Set<ValueType> {
  const [first = [], ...others] = partsOf(root, schema).map(toTypes);
  return new Set(first.length > 0 ? first : others.flat());
}

/** The types that one schema names, without those of the schemas that it is composed of. */
function toTypes(schema: JsonObject): ValueType[] {
  const { type } = schema;
  if (type !== undefined) return [type].flat() as ValueType[];
  if ('const' in schema) return [typeOf(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
  if (entriesOf(schema.properties).length > 0) return ['object'];
  return 'items' in schema ? ['array'] : [];
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as ValueType);
}

/** Scalar types, in the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** In the order in which text is converted. Without restrictions, only strings. */
function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  return types.size === 0 ? ['string'] : SCALARS.filter((type) => types.has(type));
}

function isScalar(types: ReadonlySet<unknown>): boolean {
  return !types.has('array') && !types.has('object');
}
