/**
 * Describes how parameters and form fields are read. For `?filter[a]=1`, the style `deepObject` and an object schema
 * with `a: { type: 'integer' }` become `{ name: 'filter', shape: 'object', properties: { a: ['integer'] }, … }`, with
 * which the router reads `{ filter: { a: 1 } }`.
 */
import { isJsonType } from '../src/runtime/portable/body.ts';
import type { Field, Parameter, ScalarType } from '../src/runtime/portable/route-table.ts';
import { asObject, entriesOf, follow, type JsonObject, toList, toReference } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { propertiesOf, type ValueType } from './subschemas.ts';

type Decoding = Omit<Field, 'name' | 'in'>;
type Style = Parameter['style'];

/** Arrays of scalars, objects of scalars with `properties`, objects without (`map`), and everything else (`nested`). */
type ValueKind = 'scalar' | 'array' | 'object' | 'map' | 'nested';
type Shapes = Partial<Record<ValueKind, Parameter['shape']>>;

const LISTS: Shapes = { scalar: 'scalar', array: 'array' };
const DEEP: Shapes = { ...LISTS, object: 'object', map: 'object' };

const LOCATIONS = ['path', 'query', 'header', 'cookie'] as const;

/**
 * How each kind of value is read, by location and style: OpenAPI 3.1.1 §4.8.12.2. The default style is first. Anything
 * not listed is unsupported.
 */
const SHAPES: Record<(typeof LOCATIONS)[number] | 'field', Partial<Record<Style, Shapes>>> = {
  path: { simple: LISTS },
  header: { simple: LISTS },
  cookie: { form: LISTS },
  // Objects only if they are exploded: each property is then a parameter of its own.
  query: { form: { ...LISTS, object: 'object' }, deepObject: DEEP },
  // §4.8.15.1: an object in a form is JSON, unless its encoding has a style.
  field: { form: { ...LISTS, object: 'json', map: 'json', nested: 'json' }, deepObject: DEEP },
};

/** The decoding of a parameter whose `content` is JSON. It has no style. */
const JSON_DECODING: Decoding = { style: 'simple', explode: false, shape: 'json', types: [] };

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

/** In the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/**
 * Returns what is supported of an operation's parameters, and a schema for `{ path, query, header, cookie }`. The
 * parameters lack their defaults, which can only be checked once all schemas are known.
 */
export function describeParameters(operation: JsonObject, path: string, document: OpenApiDocument) {
  const described = toList(operation.parameters)
    .map((value) => describeParameter(follow(document.root, value), path, document))
    .filter((parameter) => parameter !== undefined);
  const locations = Map.groupBy(described, ({ parameter }) => parameter.in);
  const schemas = [...locations].map(([location, members]) => {
    const properties = members.map(({ parameter, schema }) => [parameter.name, schema]);
    return [location, { type: 'object', properties: Object.fromEntries(properties) }];
  });
  return {
    described,
    schema: schemas.length === 0 || { type: 'object', properties: Object.fromEntries(schemas) },
  };
}

function describeParameter(source: JsonObject, path: string, document: OpenApiDocument) {
  const location = LOCATIONS.find((known) => known === source.in);
  const name = String(source.name);
  if (!location || (location === 'path' && !path.includes(`{${name}}`))) return undefined;
  if (location === 'header' && IGNORED_HEADERS.test(name)) return undefined;
  const [[mediaType, media] = []] = entriesOf(source.content);
  const { schema } = mediaType === undefined ? source : asObject(media);
  const names = mediaType === undefined ? [] : ['content', mediaType];
  const pointer = document.pointerTo(source, ...names, 'schema');
  const decoding = isJsonType(mediaType ?? '')
    ? JSON_DECODING
    : describeDecoding(location, source, schema, document);
  if (decoding === undefined) return undefined;
  const parameter: Parameter = {
    name,
    in: location,
    ...decoding,
    required: location === 'path' || source.required === true,
    ...(source['x-berth-greedy'] === true && { greedy: true }),
  };
  const owner = 'default' in asObject(schema) ? asObject(schema) : follow(document.root, schema);
  const { default: value } = owner;
  // A reference, so that errors point into the schema.
  const reference = schema === undefined || { $ref: toReference(pointer) };
  return { parameter, schema: reference, pointer, value };
}

/** The fields of a form, or `undefined` if one of them is not supported. */
export function describeFields(media: unknown, schema: unknown, document: OpenApiDocument) {
  const { reader } = document;
  if (!allowsExtraStrings(document, schema)) {
    const message =
      'Unlisted form fields are read as strings, but `additionalProperties` does not allow strings, so this form is not checked.';
    document.warn(document.pointerTo(media, 'schema'), `${message} List them as properties.`);
    return undefined;
  }
  const encodings = new Map(entriesOf(asObject(media).encoding));
  const properties = propertiesOf(reader.partsInCompositions(schema));
  const fields = [...properties].map(([name, property]) => {
    const source = asObject(encodings.get(name));
    const decoding = describeDecoding('field', source, property, document);
    return decoding && { name, ...decoding };
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

/**
 * How the text of a parameter or a form field becomes a value of its schema. Warns if it is not supported. If a schema
 * allows one value or several, handlers always get an array: `a=1` of `{ type: ['integer', 'array'] }` becomes `[1]`.
 *
 * @param source the parameter, or the encoding of the field, which may have a `style`
 */
function describeDecoding(
  location: keyof typeof SHAPES,
  source: JsonObject,
  schema: unknown,
  document: OpenApiDocument,
): Decoding | undefined {
  const what = location === 'field' ? 'this form' : `${location}.${source.name}`;
  const styles = Object.keys(SHAPES[location]) as Style[];
  const { style: requested = styles[0] } = source;
  const style = styles.find((name) => name === requested);
  if (style === undefined) {
    const message = `The style ${requested} is not supported, so ${what} is not checked. Use ${styles.join(' or ')}.`;
    document.warn(document.pointerTo(source, 'style'), message);
    return undefined;
  }
  const { explode = style === 'form' } = source;
  const { reader } = document;
  const kind = findKind(document, schema);
  const shape = SHAPES[location][style]?.[kind];
  const [mediaType = source.contentType ?? 'application/json'] = Object.keys(
    Object(source.content),
  );
  const isText = 'content' in source ? kind === 'scalar' : shape !== 'json';
  if (!isText && !isJsonType(String(mediaType))) {
    const message = `The media type ${mediaType} is not supported for this schema, so ${what} is not checked. Use application/json.`;
    document.warn(document.pointerTo(source), message);
    return undefined;
  }
  if (shape === undefined || (shape === 'object' && style === 'form' && explode !== true)) {
    const fix = location === 'field' ? 'Omit the style' : 'Use content with application/json';
    const message = `The style ${style} is not supported for this schema, so ${what} is not checked. ${fix} to send JSON.`;
    document.warn(document.pointerTo(source), message);
    return undefined;
  }
  const decoding = { style, explode: explode === true, shape, types: [] };
  if (shape === 'json') return decoding;
  if (shape === 'array') return { ...decoding, types: toScalars(itemTypesOf(document, schema)) };
  if (shape === 'scalar') return { ...decoding, types: toScalars(reader.typesOf(schema)) };
  const properties = [...propertiesOf(reader.partsInCompositions(schema))];
  const types = properties.map(([name, property]) => {
    return [name, toScalars(reader.typesOf(property))] as const;
  });
  return { ...decoding, properties: Object.fromEntries(types) };
}

function findKind(document: OpenApiDocument, schema: unknown): ValueKind {
  const { reader } = document;
  const types = reader.typesOf(schema);
  if (types.has('object')) {
    const properties = [...propertiesOf(reader.partsInCompositions(schema)).values()];
    const isFlat = properties.every((property) => isScalar(reader.typesOf(property)));
    const isObjectOnly = [...types].every((type) => type === 'object' || type === 'null');
    if (!isFlat || !isObjectOnly || !allowsExtraStrings(document, schema)) return 'nested';
    return properties.length > 0 ? 'object' : 'map';
  }
  if (!types.has('array')) return 'scalar';
  const isTuple = reader.partsInCompositions(schema).some((part) => 'prefixItems' in part);
  return !isTuple && isScalar(itemTypesOf(document, schema)) ? 'array' : 'nested';
}

function itemTypesOf({ reader }: OpenApiDocument, schema: unknown): Set<ValueType> {
  const parts = reader.partsInCompositions(schema);
  return new Set(parts.flatMap(({ items }) => [...reader.typesOf(items)]));
}

/** Without restrictions, text remains text. */
function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  return types.size === 0 ? ['string'] : SCALARS.filter((type) => types.has(type));
}

/** Whether unlisted properties may be strings. They are read as strings. */
function allowsExtraStrings({ reader }: OpenApiDocument, schema: unknown): boolean {
  return reader.partsInCompositions(schema).every(({ additionalProperties }) => {
    const types = reader.typesOf(additionalProperties);
    return types.size === 0 || types.has('string');
  });
}

function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}
