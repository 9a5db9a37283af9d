import type {
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ScalarType,
} from '../src/runtime/route-table.ts';
import {
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  join,
  type Located,
  type Problems,
  toReference,
} from './document.ts';
import { propertiesOf, type Schema, type SchemaReader } from './schemas.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. Others are not supported. */
const STYLES: Readonly<Record<ParameterPlace, readonly [ParameterStyle, ...ParameterStyle[]]>> = {
  path: ['simple'],
  query: ['form', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
export const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

export interface ParameterModel {
  readonly parameter: Parameter;
  readonly schema: Schema;
}

/** `undefined` if the parameter must be ignored, or is not supported. */
export function describeParameter(
  { value, pointer }: Located,
  reader: SchemaReader,
  problems: Problems,
): ParameterModel | undefined {
  const { name } = value;
  const place = Object.keys(STYLES).find((each) => each === value.in) as ParameterPlace | undefined;
  if (typeof name !== 'string' || place === undefined) return undefined;
  if (place === 'header' && IGNORED_HEADERS.test(name)) return undefined;
  const styles = STYLES[place];
  const style = styles.find((each) => each === (value.style ?? styles[0]));
  if (style === undefined) {
    problems.warn(
      join(pointer, 'style'),
      `The style ${value.style} is not supported, so ${place}.${name} is not checked. Use ${styles.join(' or ')}.`,
    );
    return undefined;
  }
  const [content] = entriesOf(value.content);
  const source =
    content === undefined
      ? { value, pointer }
      : follow(reader.document, content[1], join(pointer, 'content', content[0]));
  const at = join(source.pointer, 'schema');
  const schema = reader.get(at);
  const initial = reader.partsOf(schema, []).find(({ default: each }) => each !== undefined);
  const explode = typeof value.explode === 'boolean' ? value.explode : style === 'form';
  const isExploded = place === 'query' && explode;
  const parameter = {
    name,
    in: place,
    style,
    explode,
    required: place === 'path' || value.required === true,
    ...(content && isJson(content[0]) ? AS_JSON : describeShape(schema, style, isExploded, reader)),
    ...(value['x-berth-greedy'] === true && { greedy: true as const }),
    ...(initial && { default: initial.default }),
  };
  return { parameter, schema: { $ref: toReference(at) } };
}

/** The fields of a form. OpenAPI 3.1.1 §4.8.15.1: an object is JSON, unless its encoding has a style. */
export function describeFields(
  { value, pointer }: Located,
  schema: Schema,
  reader: SchemaReader,
  problems: Problems,
): { fields: Parameter[]; isSupported: boolean } {
  let isSupported = true;
  const encodings = new Map(entriesOf(value.encoding));
  const properties = new Map(reader.partsOf(schema).flatMap(propertiesOf));
  const fields = [...properties].map(([name, property]): Parameter => {
    const encoding = encodings.get(name);
    const { style: requested, explode } = isObject(encoding) ? encoding : {};
    const style = STYLES.query.find((each) => each === (requested ?? 'form'));
    if (style === undefined) {
      isSupported = false;
      problems.warn(
        join(pointer, 'encoding', name, 'style'),
        `The style ${requested} is not supported, so this form is not checked. Use form or deepObject.`,
      );
    }
    return {
      name,
      in: 'query',
      style: style ?? 'form',
      explode: typeof explode === 'boolean' ? explode : style !== 'deepObject',
      required: false,
      ...describeShape(property, style ?? 'form', false, reader),
    };
  });
  return { fields, isSupported };
}

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i.test(mediaType);
}

type ValueType = ScalarType | 'array' | 'object';

/** The types that a schema allows, or none if it does not restrict them. */
export function typesOf(schema: Schema, reader: SchemaReader): Set<ValueType> {
  const [first = [], ...others] = reader.partsOf(schema).map(toTypes);
  return new Set(first.length > 0 ? first : others.flat());
}

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties'>;

/** For values that text alone cannot express. */
const AS_JSON: Shape = { shape: 'json', types: [] };

/**
 * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
 * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
 * those of a single value that is allowed too.
 *
 * @param isExploded whether each property has a name of its own in the query
 */
function describeShape(
  schema: Schema,
  style: ParameterStyle,
  isExploded: boolean,
  reader: SchemaReader,
): Shape {
  const types = typesOf(schema, reader);
  const parts = reader.partsOf(schema);
  if (types.has('object')) {
    const properties = parts
      .flatMap(propertiesOf)
      .map(([name, each]) => [name, typesOf(each, reader)] as const);
    const isFlat = properties.length > 0 && properties.every(([, each]) => isScalar(each));
    if (style !== 'deepObject' && !(isExploded && isFlat)) return AS_JSON;
    const scalars = properties.map(([name, each]) => [name, toScalars(each)]);
    return { shape: 'object', types: toScalars(types), properties: Object.fromEntries(scalars) };
  }
  if (!types.has('array')) return { shape: 'scalar', types: toScalars(types) };
  const items = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []));
  const itemTypes = new Set(items.flatMap((each) => [...typesOf(each, reader)]));
  return isScalar(itemTypes) ? { shape: 'array', types: toScalars(itemTypes) } : AS_JSON;
}

/** The types that one schema names, without those of the schemas that it is composed of. */
function toTypes(schema: JsonObject): ValueType[] {
  const { type } = schema;
  if (type !== undefined) return [type].flat() as ValueType[];
  if ('const' in schema) return [typeOf(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
  if (propertiesOf(schema).length > 0) return ['object'];
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
