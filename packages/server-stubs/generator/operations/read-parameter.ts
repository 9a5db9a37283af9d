import type {
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ScalarType,
} from '../../src/runtime/route-table.ts';
import { entriesOf, isObject, join, type Located, toText, Unusable } from '../document.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import { type SchemaStore, sameValue } from '../schema/schema-store.ts';
import { isScalar, toScalars, type ValueType, valueTypes } from '../schema/value-types.ts';
import type { ParameterModel } from './model.ts';
import { isJson } from './read-content.ts';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** `undefined` if the parameter must be ignored. */
export function readParameter(located: Located, store: SchemaStore): ParameterModel | undefined {
  const { value, pointer } = located;
  const { in: given, name } = value;
  if (typeof name !== 'string' || name === '') {
    throw new Unusable(pointer, 'A parameter needs a name.');
  }
  if (given === 'querystring') return toWhole(located, name, store);
  if (typeof given !== 'string' || !Object.hasOwn(STYLES, given)) {
    throw new Unusable(
      join(pointer, 'in'),
      `Parameters in ${JSON.stringify(given)} are not supported. Use path, query, header or cookie.`,
    );
  }
  const place = given as ParameterPlace;
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
  const source = readSource(located, store);
  const { schema } = source;
  const style = readStyle(located, place, store);
  const own = typeof schema === 'boolean' || 'default' in schema ? schema : store.resolve(schema);
  const initial = typeof own === 'boolean' ? undefined : own.default;
  const shape = source.isJson
    ? { shape: 'json' as const, types: [] }
    : readShape(schema, style, store);
  const parameter: Parameter = {
    name,
    in: place,
    style,
    explode:
      typeof value.explode === 'boolean' ? value.explode : style === 'form' || style === 'cookie',
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

/** Reads a parameter that is the entire query, as a form or JSON: OpenAPI 3.2.0 §4.12.2.1. */
function toWhole({ value, pointer }: Located, name: string, store: SchemaStore): ParameterModel {
  const content = join(pointer, 'content');
  const [mediaType = '', entry] = entriesOf(value.content)[0] ?? [];
  const media = store.follow(entry, join(content, mediaType));
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (!isForm && !isJson(mediaType)) {
    throw new Unusable(
      content,
      'A query must be a form or JSON: use application/x-www-form-urlencoded.',
    );
  }
  const at = join(media.pointer, 'schema');
  return {
    parameter: {
      name,
      in: 'query',
      style: 'form',
      explode: true,
      required: value.required === true,
      whole: true,
      shape: isForm ? 'nested' : 'json',
      types: [],
    },
    schema: 'schema' in media.value ? store.get(at) : true,
    pointer: at,
    deprecated: value.deprecated === true,
    description: toText(value.description),
  };
}

function readStyle(
  { value: { style }, pointer }: Located,
  place: ParameterPlace,
  store: SchemaStore,
): ParameterStyle {
  const [initial, ...others] = STYLES[place];
  const known = [initial, ...others].find((each) => each === style);
  if (known === undefined && style !== undefined) {
    store.problems.warn(
      join(pointer, 'style'),
      `Style ${JSON.stringify(style)} is not valid for a ${place} parameter, so ${initial} is used. Use one of ${STYLES[place].join(', ')}.`,
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
    store.problems.warn(
      pointer,
      'This parameter has neither schema nor content, so any text is allowed.',
    );
    return { schema: true, pointer, isJson: false };
  }
  const [mediaType, content] = entry;
  if (second !== undefined) {
    store.problems.warn(at, `A parameter can have only one media type: only ${mediaType} is read.`);
  }
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

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

/**
 * If a schema allows one value or several, it is parsed as a list, so that handlers get only one form. In
 * style `deepObject`, `types` are those of a single value that is allowed too. Lists and objects inside of
 * others, which OpenAPI does not define, are read with brackets or as JSON, as many servers do.
 */
function readShape(schema: Schema, style: ParameterStyle, store: SchemaStore): Shape {
  const types = valueTypes(schema, store);
  if (types.has('object')) {
    const scalars = toScalars(types);
    const isOther = style !== 'deepObject' && (scalars.length > 0 || types.has('array'));
    const properties = readProperties(schema, store);
    const additional = readAdditional(schema, store);
    const hasNested = Object.values(properties).some((each) => each.length === 0);
    if (isOther || hasNested || additional === 'nested') {
      return { shape: 'nested', types: [], properties, ...(additional && { additional: [] }) };
    }
    return { shape: 'object', types: scalars, properties, ...(additional && { additional }) };
  }
  if (types.has('array')) {
    const parts = sameValue(schema, store);
    const kinds = itemTypes(parts, store);
    const isTuple = parts.some((part) => 'prefixItems' in part);
    const items = new Set(kinds.flatMap((each) => [...each]));
    // Text alone does not distinguish the items of a tuple.
    const isMixed = isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1;
    if (isMixed || !isScalar(items)) return { shape: 'nested', types: [] };
    const own = [...types].filter((type) => type !== 'array' && type !== 'null');
    return { shape: 'array', types: toScalars(new Set([...items, ...(items.size ? own : [])])) };
  }
  return { shape: 'scalar', types: toScalars(types) };
}

/** No types for a list or an object. */
function readProperties(schema: Schema, store: SchemaStore): Record<string, readonly ScalarType[]> {
  const properties = sameValue(schema, store).flatMap(propertiesOf);
  // A property may be named `__proto__`.
  return Object.fromEntries(
    properties.map(([name, property]) => {
      const types = valueTypes(property, store);
      return [name, isScalar(types) ? toScalars(types) : []];
    }),
  );
}

function readAdditional(
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
