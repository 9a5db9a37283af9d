import type {
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ScalarType,
} from '../../src/runtime/route-table.ts';
import { entriesOf, isObject, type JsonObject, join, type Pointer, toText } from '../document.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import {
  isScalar,
  sameValue,
  toScalars,
  type ValueType,
  valueTypes,
} from '../schema/value-types.ts';
import type { ParameterModel } from './model.ts';
import { isJson } from './read-content.ts';
import type { Reader } from './reader.ts';

const NESTED =
  'OpenAPI does not define how a parameter serializes lists and objects that are nested in an object. Use content: application/json.';

/** Styles by location, starting with the default: OpenAPI 3.1.1 §4.8.12.2. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** Reads a parameter object. Returns `undefined` if it is refused or must be ignored. */
export function readParameter(
  value: JsonObject,
  pointer: Pointer,
  reader: Reader,
): ParameterModel | undefined {
  const place = value.in;
  const name = value.name;
  if (typeof name !== 'string' || name === '') {
    reader.refuse(pointer, 'A parameter must have a name.');
    return undefined;
  }
  if (typeof place !== 'string' || !(place in STYLES)) {
    reader.refuse(
      join(pointer, 'in'),
      `Parameters in ${JSON.stringify(place)} are not supported. Use path, query, header or cookie.`,
    );
    return undefined;
  }
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined;
  return toModel(value, name, place as ParameterPlace, pointer, reader);
}

function toModel(
  value: JsonObject,
  name: string,
  place: ParameterPlace,
  pointer: Pointer,
  reader: Reader,
): ParameterModel | undefined {
  const style = (value.style ?? STYLES[place][0]) as ParameterStyle;
  if (!STYLES[place].includes(style)) {
    reader.refuse(
      join(pointer, 'style'),
      `Style ${JSON.stringify(style)} is not allowed for a ${place} parameter. Use ${STYLES[place].join(', ')}.`,
    );
    return undefined;
  }
  const source = readSource(value, pointer, reader);
  if (source === undefined) return undefined;
  const { schema } = source;
  const shape = source.isJson
    ? { shape: 'json' as const, types: [] }
    : readShape(schema, style, source.pointer, reader);
  if (shape === undefined) return undefined;
  const initial = defaultOf(reader, schema);
  const parameter: Parameter = {
    name,
    in: place,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    required: place === 'path' || value.required === true,
    ...shape,
    ...(value['x-berth-greedy'] === true ? { greedy: true } : {}),
    ...(initial === undefined ? {} : { default: initial }),
  };
  const description = toText(value.description);
  return {
    parameter,
    schema,
    pointer: source.pointer,
    deprecated: value.deprecated === true,
    ...(description === undefined ? {} : { description }),
  };
}

function readSource(value: JsonObject, pointer: Pointer, reader: Reader) {
  if ('schema' in value) {
    const at = join(pointer, 'schema');
    return { schema: reader.schema(at), pointer: at, isJson: false };
  }
  const at = join(pointer, 'content');
  const [entry, second] = entriesOf(value.content);
  if (entry === undefined || second !== undefined) {
    reader.refuse(
      pointer,
      'A parameter must have a schema, or content with exactly one media type.',
    );
    return undefined;
  }
  const [mediaType, content] = entry;
  const media = reader.follow(content, join(at, mediaType));
  if (media === undefined) return undefined;
  if (!isJson(mediaType) && mediaType !== 'text/plain') {
    reader.refuse(
      join(at, mediaType),
      `Parameters of type ${mediaType} are not supported. Use application/json, or a schema.`,
    );
    return undefined;
  }
  const schemaAt = join(media.pointer, 'schema');
  return {
    schema: 'schema' in media.value ? reader.schema(schemaAt) : true,
    pointer: schemaAt,
    isJson: isJson(mediaType),
  };
}

function defaultOf(reader: Reader, schema: ReturnType<Reader['schema']>): unknown {
  if (typeof schema === 'boolean') return undefined;
  if ('default' in schema) return schema.default;
  const target = reader.store.resolve(schema);
  return typeof target === 'boolean' ? undefined : target.default;
}

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

/**
 * Returns how to parse the text of a parameter. If the schema allows one value or several, the text is
 * always parsed as a list, so that handlers see a single form. If it allows one value or an object
 * (style `deepObject`), `types` are the types of the single value.
 *
 * @returns `undefined`, with a refusal, if OpenAPI does not define how to serialize the value
 */
function readShape(
  schema: Schema,
  style: ParameterStyle,
  pointer: Pointer,
  reader: Reader,
): Shape | undefined {
  const { store } = reader;
  const types = valueTypes(schema, store);
  if (types.has('object')) {
    const scalars = toScalars(types);
    if (style !== 'deepObject' && (scalars.length > 0 || types.has('array'))) {
      reader.refuse(
        pointer,
        'A parameter that allows both an object and another type is ambiguous as text. Split it, or use style deepObject.',
      );
      return undefined;
    }
    const properties = readProperties(schema, pointer, reader);
    const additional = readAdditional(schema, pointer, reader);
    if (properties === undefined || additional === 'refused') return undefined;
    return { shape: 'object', types: scalars, properties, ...(additional && { additional }) };
  }
  if (types.has('array')) {
    const parts = sameValue(schema, store);
    const kinds = itemTypes(parts, store);
    const isTuple = parts.some((part) => 'prefixItems' in part);
    if (isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1) {
      reader.refuse(
        pointer,
        'The items of this list have different types, which text cannot distinguish. Use content: application/json.',
      );
      return undefined;
    }
    const items = new Set(kinds.flatMap((each) => [...each]));
    if (!isScalar(items)) {
      reader.refuse(
        pointer,
        'OpenAPI does not define how a parameter serializes lists of lists or of objects. Use content: application/json.',
      );
      return undefined;
    }
    const own = [...types].filter((type) => type !== 'array' && type !== 'null');
    return { shape: 'array', types: toScalars(new Set([...items, ...(items.size ? own : [])])) };
  }
  return { shape: 'scalar', types: toScalars(types) };
}

function readProperties(
  schema: Schema,
  pointer: Pointer,
  reader: Reader,
): Record<string, readonly ScalarType[]> | undefined {
  const properties: [string, readonly ScalarType[]][] = [];
  for (const [name, property] of sameValue(schema, reader.store).flatMap(propertiesOf)) {
    const types = valueTypes(property, reader.store);
    if (!isScalar(types)) {
      reader.refuse(join(pointer, 'properties', name), NESTED);
      return undefined;
    }
    properties.push([name, toScalars(types)]);
  }
  // A property may be named `__proto__`.
  return Object.fromEntries(properties);
}

/** Returns the types of additional properties, if the schema allows them. */
function readAdditional(
  schema: Schema,
  pointer: Pointer,
  reader: Reader,
): readonly ScalarType[] | 'refused' | undefined {
  const parts = sameValue(schema, reader.store);
  const spoken = parts
    .map((part) => part.additionalProperties)
    .filter((each) => each !== undefined);
  if (spoken.includes(false)) return undefined;
  const [additional] = spoken;
  if (additional === undefined) {
    return parts.some((part) => propertiesOf(part).length > 0) ? undefined : ['string'];
  }
  const types = valueTypes(additional as Schema, reader.store);
  if (isScalar(types)) return toScalars(types);
  reader.refuse(join(pointer, 'additionalProperties'), NESTED);
  return 'refused';
}

/** Returns the types of the items, once for each schema that defines items. */
function itemTypes(parts: readonly SchemaObject[], store: SchemaStore): Set<ValueType>[] {
  return parts
    .flatMap((part) => [part.items, ...membersOf(part, 'prefixItems')])
    .filter((items) => isObject(items))
    .map((items) => valueTypes(items, store));
}
