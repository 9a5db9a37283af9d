import type {
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ScalarType,
} from '../../src/runtime/route-table.ts';
import { entriesOf, Invalid, isObject, join, type Located, toText } from '../old/document.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import {
  isScalar,
  type SchemaStore,
  sameValue,
  toScalars,
  type ValueType,
  valueTypes,
} from '../schema/schema-store.ts';
import type { ParameterModel } from './model.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** `undefined` if the parameter must be ignored. */
export function readParameter(located: Located, store: SchemaStore): ParameterModel | undefined {
  const { value, pointer } = located;
  const { in: given, name } = value;
  if (typeof name !== 'string' || name === '') {
    throw new Invalid(pointer, 'A parameter needs a name.');
  }
  if (typeof given !== 'string' || !Object.hasOwn(STYLES, given)) {
    throw new Invalid(
      join(pointer, 'in'),
      `Parameters in ${JSON.stringify(given)} are not supported. Use path, query, header or cookie.`,
    );
  }
  const place = given as ParameterPlace;
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
  const source = readSource(located, store);
  const { schema } = source;
  const style = readStyle(located, place);
  const own = typeof schema === 'boolean' || 'default' in schema ? schema : store.resolve(schema);
  const initial = typeof own === 'boolean' ? undefined : own.default;
  const shape = source.isJson ? AS_JSON : readShape(schema, style, store);
  if (shape === AS_JSON && !source.isJson) {
    store.problems.warn(
      source.pointer,
      'Nothing defines how a parameter contains lists and objects inside of others, so it is read as JSON. Use content with application/json.',
    );
  }
  const parameter: Parameter = {
    name,
    in: place,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    required: place === 'path' || value.required === true,
    ...shape,
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(initial !== undefined && { default: initial }),
  };
  return {
    parameter,
    schema,
    pointer: source.pointer,
    deprecated: value.deprecated === true,
    description: toText(value.description),
  };
}

function readStyle({ value: { style }, pointer }: Located, place: ParameterPlace): ParameterStyle {
  const [initial, ...others] = STYLES[place];
  const known = [initial, ...others].find((each) => each === style);
  if (known === undefined && style !== undefined) {
    throw new Invalid(
      join(pointer, 'style'),
      `Style ${JSON.stringify(style)} is not valid for a ${place} parameter. Use one of ${STYLES[place].join(', ')}.`,
    );
  }
  return known ?? (initial as ParameterStyle);
}

function readSource({ value, pointer }: Located, store: SchemaStore) {
  if ('schema' in value) {
    const at = join(pointer, 'schema');
    return { schema: store.get(at), pointer: at, isJson: false };
  }
  const at = join(pointer, 'content');
  const [entry, second] = entriesOf(value.content);
  if (entry === undefined) {
    throw new Invalid(pointer, 'A parameter needs a schema, or content with one media type.');
  }
  if (second !== undefined) throw new Invalid(at, 'A parameter can have only one media type.');
  const [mediaType, content] = entry;
  const media = store.follow(content, join(at, mediaType));
  const schemaAt = join(media.pointer, 'schema');
  const isKnown = isJson(mediaType) || mediaType === 'text/plain';
  if (!isKnown) {
    store.problems.warn(
      join(at, mediaType),
      `A parameter of type ${mediaType} is read as text. Use application/json, or a schema.`,
    );
  }
  return {
    schema: isKnown && 'schema' in media.value ? store.get(schemaAt) : true,
    pointer: schemaAt,
    isJson: isJson(mediaType),
  };
}

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return (
    /^application\/(?:[^;]+\+)?json(?:-[a-z-]+)?\s*(?:;|$)/i.test(mediaType) ||
    /^[^;]+\+json\s*(?:;|$)/i.test(mediaType)
  );
}

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

/** For values that text alone cannot express. */
const AS_JSON: Shape = { shape: 'json', types: [] };

/**
 * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
 * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
 * those of a single value that is allowed too.
 */
export function readShape(schema: Schema, style: ParameterStyle, store: SchemaStore): Shape {
  const types = valueTypes(schema, store);
  if (types.has('object')) {
    const scalars = toScalars(types);
    const isOther = style !== 'deepObject' && (scalars.length > 0 || types.has('array'));
    const properties = readProperties(schema, store);
    const additional = readAdditional(schema, store);
    if (isOther || properties === undefined || additional === 'nested') return AS_JSON;
    return { shape: 'object', types: scalars, properties, ...(additional && { additional }) };
  }
  if (types.has('array')) {
    const parts = sameValue(schema, store);
    const kinds = itemTypes(parts, store);
    const isTuple = parts.some((part) => 'prefixItems' in part);
    const items = new Set(kinds.flatMap((each) => [...each]));
    // Text alone does not distinguish the items of a tuple.
    const isMixed = isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1;
    if (isMixed || !isScalar(items)) return AS_JSON;
    const own = [...types].filter((type) => type !== 'array' && type !== 'null');
    return { shape: 'array', types: toScalars(new Set([...items, ...(items.size ? own : [])])) };
  }
  return { shape: 'scalar', types: toScalars(types) };
}

/** `undefined` if one is a list or an object. */
function readProperties(
  schema: Schema,
  store: SchemaStore,
): Record<string, readonly ScalarType[]> | undefined {
  const properties = sameValue(schema, store).flatMap(propertiesOf);
  const types = properties.map(([name, property]) => [name, valueTypes(property, store)] as const);
  if (!types.every(([, each]) => isScalar(each))) return undefined;
  // A property may be named `__proto__`.
  return Object.fromEntries(types.map(([name, each]) => [name, toScalars(each)]));
}

/** Types of properties that are not named, or none if there may not be any. */
export function readAdditional(
  schema: Schema,
  store: SchemaStore,
): readonly ScalarType[] | 'nested' | undefined {
  const parts = sameValue(schema, store);
  const spoken = parts
    .map((part) => part.additionalProperties)
    .filter((each) => each !== undefined);
  if (spoken.includes(false)) return undefined;
  const [additional] = spoken;
  if (additional === undefined) {
    return parts.some((part) => propertiesOf(part).length > 0) ? undefined : ['string'];
  }
  const types = valueTypes(additional as Schema, store);
  return isScalar(types) ? toScalars(types) : 'nested';
}

function itemTypes(parts: readonly SchemaObject[], store: SchemaStore): Set<ValueType>[] {
  return parts
    .flatMap((part) => [part.items, ...membersOf(part, 'prefixItems')])
    .filter((items) => isObject(items))
    .map((items) => valueTypes(items, store));
}
