import { isJsonType } from '../src/runtime/portable/content-kinds.ts';
import type { FormField, Parameter, ScalarType } from '../src/runtime/portable/route-table.ts';
import { asObject, entriesOf, follow, type JsonObject, toList, toReference } from './json.ts';
import type { OpenApiDocument, Problem } from './openapi.ts';
import { partsOf, propertiesOf } from './subschemas.ts';

type Format = Omit<FormField, 'name'>;
type Warning = Pick<Problem, 'pointer' | 'message'>;
type ValueType = ScalarType | 'array' | 'object';
type Style = Parameter['style'];

/** Arrays of scalars, objects of scalars with `properties`, objects without (`map`), and everything else (`nested`). */
type ValueKind = 'scalar' | 'array' | 'object' | 'map' | 'nested';
type Shapes = Partial<Record<ValueKind, Parameter['shape']>>;

const LISTS: Shapes = { scalar: 'scalar', array: 'array' };
const DEEP: Shapes = { ...LISTS, object: 'object', map: 'object' };

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/**
 * How each kind of value is read, by place and style: OpenAPI 3.1.1 §4.8.12.2. The default style is first. Anything not
 * listed is unsupported.
 */
const SHAPES: Record<(typeof PLACES)[number] | 'field', Partial<Record<Style, Shapes>>> = {
  path: { simple: LISTS },
  header: { simple: LISTS },
  cookie: { form: LISTS },
  // Objects only if they are exploded: each property is then a parameter of its own.
  query: { form: { ...LISTS, object: 'object' }, deepObject: DEEP },
  // §4.8.15.1: an object in a form is JSON, unless its encoding has a style.
  field: { form: { ...LISTS, object: 'json', map: 'json', nested: 'json' }, deepObject: DEEP },
};

/** The format of a parameter whose `content` is JSON. It has no style. */
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
  const places = Map.groupBy(described, ({ parameter }) => parameter.in);
  const schemas = [...places].map(([place, members]) => {
    const properties = members.map(({ parameter, schema }) => [parameter.name, schema]);
    return [place, { type: 'object', properties: Object.fromEntries(properties) }];
  });
  return {
    parameters: described.map(({ parameter, at }) => ({ ...parameter, schemaAt: at })),
    schema: schemas.length === 0 || { type: 'object', properties: Object.fromEntries(schemas) },
  };
}

function describeParameter(value: JsonObject, path: string, document: OpenApiDocument) {
  const place = PLACES.find((each) => each === value.in);
  const name = String(value.name);
  if (!place || (place === 'path' && !path.includes(`{${name}}`))) return undefined;
  if (place === 'header' && IGNORED_HEADERS.test(name)) return undefined;
  const [[mediaType, media] = ['', value]] = entriesOf(value.content);
  const { schema } = asObject(media);
  const at = document.pointerTo(media, 'schema');
  const format = isJsonType(mediaType)
    ? JSON_FORMAT
    : describeFormat(place, value, schema, document);
  if ('message' in format) {
    document.warn(format.pointer, format.message);
    return undefined;
  }
  const defaultValue = asObject(schema).default ?? follow(document.root, schema).default;
  const parameter: Parameter = {
    name,
    in: place,
    ...format,
    required: place === 'path' || value.required === true,
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(defaultValue !== undefined && { default: defaultValue }),
  };
  // A reference, so that errors point into the schema.
  return { parameter, at, schema: schema === undefined || { $ref: toReference(at) } };
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
  const fields: FormField[] = [];
  for (const [name, property] of properties) {
    const styled = asObject(encodings.get(name));
    const format = describeFormat('field', styled, property, document);
    if ('message' in format) document.warn(format.pointer, format.message);
    else fields.push({ name, ...format });
  }
  return fields.length === properties.size ? fields : undefined;
}

/**
 * How the text of a parameter or a form field becomes a value of its schema, or why it is not supported. If a schema
 * allows one value or several, handlers always get an array: `a=1` of `{ type: ['integer', 'array'] }` becomes `[1]`.
 *
 * @param styled the parameter, or the encoding of the field, which may have a `style`
 */
function describeFormat(
  place: keyof typeof SHAPES,
  styled: JsonObject,
  schema: unknown,
  document: OpenApiDocument,
): Format | Warning {
  const what = place === 'field' ? 'this form' : `${place}.${styled.name}`;
  const styles = Object.keys(SHAPES[place]) as Style[];
  const { style: requested = styles[0] } = styled;
  const style = styles.find((name) => name === requested);
  if (style === undefined) {
    const message = `The style ${requested} is not supported, so ${what} is not checked. Use ${styles.join(' or ')}.`;
    return { pointer: document.pointerTo(styled, 'style'), message };
  }
  const { explode = style === 'form' } = styled;
  const { root } = document;
  const shape = SHAPES[place][style]?.[findKind(root, schema)];
  if (shape === undefined || (shape === 'object' && style === 'form' && explode !== true)) {
    const fix = place === 'field' ? 'Leave it out' : 'Use content with application/json';
    const message = `The style ${style} is not supported for this schema, so ${what} is not checked. ${fix} to send JSON.`;
    return { pointer: document.pointerTo(schema), message };
  }
  const format = { style, explode: explode === true, shape, types: [] };
  if (shape === 'json') return format;
  if (shape === 'array') return { ...format, types: toScalars(itemTypesOf(root, schema)) };
  if (shape === 'scalar') return { ...format, types: toScalars(typesOf(root, schema)) };
  const properties = propertiesOf(root, schema).map(([name, property]) => {
    return [name, toScalars(typesOf(root, property))] as const;
  });
  return { ...format, properties: Object.fromEntries(properties) };
}

function findKind(root: JsonObject, schema: unknown): ValueKind {
  const types = typesOf(root, schema);
  if (types.has('object')) {
    const properties = propertiesOf(root, schema);
    const isFlat = properties.every(([, property]) => isScalar(typesOf(root, property)));
    const isOnly = [...types].every((type) => type === 'object' || type === 'null');
    if (!isFlat || !isOnly || !allowsExtraStrings(root, schema)) return 'nested';
    return properties.length > 0 ? 'object' : 'map';
  }
  if (!types.has('array')) return 'scalar';
  const isTuple = partsOf(root, schema).some((part) => 'prefixItems' in part);
  return !isTuple && isScalar(itemTypesOf(root, schema)) ? 'array' : 'nested';
}

function itemTypesOf(root: JsonObject, schema: unknown): Set<ValueType> {
  return new Set(partsOf(root, schema).flatMap(({ items }) => [...typesOf(root, items)]));
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
