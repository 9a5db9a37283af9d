import { isJson } from '../src/runtime/portable/content-kinds.ts';
import type { Parameter, ScalarType } from '../src/runtime/portable/route-table.ts';
import { asObject, entriesOf, follow, type JsonObject, toList, toReference } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { partsOf, propertiesOf } from './subschemas.ts';

type Format = Pick<Parameter, 'style' | 'explode' | 'shape' | 'types' | 'properties' | 'prefix'>;
type ValueType = ScalarType | 'array' | 'object';
type Style = Parameter['style'];

/** Arrays of scalars, objects of scalars with `properties`, objects without, and everything else. */
type Kind = 'scalar' | 'array' | 'object' | 'map' | 'nested';
type Shapes = Partial<Record<Kind, Parameter['shape']>>;

const LISTS: Shapes = { scalar: 'scalar', array: 'array' };
const DEEP: Shapes = { ...LISTS, object: 'object', map: 'object' };

const LOCATIONS = ['path', 'query', 'header', 'cookie'] as const;

/**
 * How each kind of value is read, by location and style: OpenAPI 3.1.1 §4.8.12.2. The default style is first. What is
 * missing is not supported.
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

/** Of a parameter with such `content`, which has no style. */
const JSON_FORMAT: Format = { style: 'simple', explode: false, shape: 'json', types: [] };

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

/** In the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** Returns what is supported of an operation's parameters, and a schema for `{ path, query, header, cookie }`. */
export function describeParameters(operation: JsonObject, path: string, document: OpenApiDocument) {
  const described = toList(operation.parameters)
    .map((value) => describeParameter(follow(document.root, value), path, document))
    .filter((parameter) => parameter !== undefined);
  const locations = Map.groupBy(described, ({ parameter }) => parameter.in);
  const schemas = [...locations].map(([location, members]) => {
    const properties = members.map(({ parameter, schema }) => [parameter.name, schema]);
    // A path that matches has all its parameters.
    const required = members.filter(({ parameter }) => parameter.required && location !== 'path');
    const names = required.map(({ parameter }) => parameter.name);
    const object = { type: 'object', properties: Object.fromEntries(properties), required: names };
    return [location, object];
  });
  return {
    parameters: described.map(({ parameter }) => parameter),
    schema: schemas.length === 0 || { type: 'object', properties: Object.fromEntries(schemas) },
  };
}

function describeParameter(value: JsonObject, path: string, document: OpenApiDocument) {
  const { root } = document;
  const location = LOCATIONS.find((each) => each === value.in);
  const name = String(value.name);
  if (!location || (location === 'path' && !path.includes(`{${name}}`))) return undefined;
  if (location === 'header' && IGNORED_HEADERS.test(name)) return undefined;
  const [[mediaType, media] = ['', value]] = entriesOf(value.content);
  const { schema } = asObject(media);
  const at = document.pointerTo(media, 'schema');
  const format = isJson(mediaType)
    ? JSON_FORMAT
    : describeFormat(value, location, `${location}.${name}`, schema, at, document);
  if (format === undefined) return undefined;
  const defaultValue = asObject(schema).default ?? follow(root, schema).default;
  const parameter: Parameter = {
    name,
    in: location,
    ...format,
    required: location === 'path' || value.required === true,
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(defaultValue !== undefined && { default: defaultValue }),
  };
  // A reference, so that errors point into the schema.
  return { parameter, schema: schema === undefined || { $ref: toReference(at) } };
}

/** The fields of a form, or `undefined` if one of them is not supported. */
export function describeFields(media: unknown, schema: unknown, document: OpenApiDocument) {
  const { root } = document;
  if (!allowsExtraStrings(root, schema)) {
    const message =
      'Unlisted form fields are read as strings, but `additionalProperties` does not allow strings, so this form is not checked.';
    document.warn(document.pointerTo(media, 'schema'), `${message} List them as properties.`);
    return undefined;
  }
  const encodings = new Map(entriesOf(asObject(media).encoding));
  const properties = new Map(propertiesOf(root, schema));
  const fields = [...properties].flatMap(([name, property]): Parameter[] => {
    const encoding = asObject(encodings.get(name));
    const at = document.pointerTo(property);
    const format = describeFormat(encoding, 'field', 'this form', property, at, document);
    return format === undefined ? [] : [{ name, in: 'query', ...format, required: false }];
  });
  return fields.length === properties.size ? fields : undefined;
}

/**
 * How the text of a parameter or a form field becomes a value of its schema, or `undefined` with a warning. If a schema
 * allows one value or several, it is parsed as a list, so that handlers get only one form. `types` also covers a single
 * value, if the schema of an object allows one.
 *
 * @param at a pointer to the schema
 */
function describeFormat(
  object: JsonObject,
  location: keyof typeof SHAPES,
  what: string,
  schema: unknown,
  at: string,
  document: OpenApiDocument,
): Format | undefined {
  const styles = Object.keys(SHAPES[location]) as Style[];
  const { style: requested = styles[0] } = object;
  const style = styles.find((name) => name === requested);
  if (style === undefined) {
    const message = `The style ${requested} is not supported, so ${what} is not checked.`;
    document.warn(document.pointerTo(object, 'style'), `${message} Use ${styles.join(' or ')}.`);
    return undefined;
  }
  const { explode = style === 'form' } = object;
  const { root } = document;
  const shape = SHAPES[location][style]?.[findKind(root, schema)];
  if (shape === undefined || (shape === 'object' && style === 'form' && explode !== true)) {
    const message = `The style ${style} is not supported for this schema, so ${what} is not checked`;
    const fix = location === 'field' ? 'Leave it out' : 'Use content with application/json';
    document.warn(at, `${message}. ${fix} to send JSON.`);
    return undefined;
  }
  const format = { style, explode: explode === true, shape };
  if (shape === 'json') return { ...format, types: [] };
  if (shape === 'array') {
    const { items, first } = itemTypesOf(root, schema);
    const prefix = first.length > 0 && { prefix: first.map(toScalars) };
    return { ...format, types: toScalars(items), ...prefix };
  }
  const types = toScalars(typesOf(root, schema));
  if (shape === 'scalar') return { ...format, types };
  const properties = propertiesOf(root, schema).map(([name, property]) => {
    return [name, toScalars(typesOf(root, property))] as const;
  });
  return { ...format, types, properties: Object.fromEntries(properties) };
}

function findKind(root: JsonObject, schema: unknown): Kind {
  const types = typesOf(root, schema);
  if (types.has('object')) {
    const properties = propertiesOf(root, schema);
    const isFlat = properties.every(([, property]) => isScalar(typesOf(root, property)));
    if (!isFlat || !allowsExtraStrings(root, schema)) return 'nested';
    return properties.length > 0 ? 'object' : 'map';
  }
  if (!types.has('array')) return 'scalar';
  const { items, first } = itemTypesOf(root, schema);
  return [items, ...first].every(isScalar) ? 'array' : 'nested';
}

/** The types of the items of an array, and of each of its first ones (`prefixItems`). */
function itemTypesOf(root: JsonObject, schema: unknown) {
  const parts = partsOf(root, schema);
  const items = new Set(parts.flatMap((part) => [...typesOf(root, part.items)]));
  const first = parts.flatMap((part) => toList(part.prefixItems));
  return { items, first: first.map((item) => typesOf(root, item)) };
}

/** The types that a schema allows, or none if it does not restrict them. */
export function typesOf(root: JsonObject, schema: unknown): Set<ValueType> {
  const [first = [], ...rest] = partsOf(root, schema).map((part): ValueType[] => {
    if (part.type !== undefined) return [part.type].flat() as ValueType[];
    if ('const' in part) return [typeOf(part.const)];
    if (Array.isArray(part.enum)) return part.enum.map(typeOf);
    if (entriesOf(part.properties).length > 0) return ['object'];
    return 'items' in part || 'prefixItems' in part ? ['array'] : [];
  });
  return new Set(first.length > 0 ? first : rest.flat());
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as ValueType);
}

/** Without restrictions, text remains text. */
function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  return types.size === 0 ? ['string'] : SCALARS.filter((type) => types.has(type));
}

/** Whether unlisted properties may be strings. They are read as strings. */
function allowsExtraStrings(root: JsonObject, schema: unknown): boolean {
  const extra = partsOf(root, schema).map((part) => typesOf(root, part.additionalProperties));
  return extra.every((types) => types.size === 0 || types.has('string'));
}

function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}
