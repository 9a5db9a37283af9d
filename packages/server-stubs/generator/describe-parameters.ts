import { isJson } from '../src/runtime/portable/content-kinds.ts';
import type { Parameter, ParameterPlace, ScalarType } from '../src/runtime/portable/route-table.ts';
import type { OpenApiDocument } from './openapi.ts';
import { asObject, entriesOf, follow, type JsonObject, toList, toReference } from './openapi.ts';
import { partsOf, propertiesOf } from './subschemas.ts';

type Style = Pick<Parameter, 'style' | 'explode'>;
type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'prefix'>;
type ValueType = ScalarType | 'array' | 'object';

/** Styles by place, the default first: OpenAPI 3.1.1 §4.8.12.2. Others are not supported. */
const STYLES = {
  path: ['simple'],
  query: ['form', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
} as const;

/** Header parameters with these names must be ignored: OpenAPI 3.1.1 §4.8.12.2.1. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

/** For values that are too complex for any style. */
const AS_JSON: Shape = { shape: 'json', types: [] };

/** In the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** Returns what is supported of an operation's parameters, and a schema for `{ path, query, header, cookie }`. */
export function describeParameters(operation: JsonObject, path: string, document: OpenApiDocument) {
  const described = toList(operation.parameters)
    .map((value) => describeParameter(follow(document.root, value), document))
    .filter((parameter) => parameter !== undefined)
    .filter(({ parameter: { in: place, name } }) => place !== 'path' || path.includes(`{${name}}`));
  const places = Map.groupBy(described, ({ parameter }) => parameter.in);
  const schemas = [...places].map(([place, members]) => {
    const properties = members.map(({ parameter, schema }) => [parameter.name, schema]);
    // A path that matches has all its parameters.
    const required = members.filter(({ parameter }) => parameter.required && place !== 'path');
    const names = required.map(({ parameter }) => parameter.name);
    return [place, { type: 'object', properties: Object.fromEntries(properties), required: names }];
  });
  return {
    parameters: described.map(({ parameter }) => parameter),
    schema: schemas.length === 0 || { type: 'object', properties: Object.fromEntries(schemas) },
  };
}

function describeParameter(value: JsonObject, document: OpenApiDocument) {
  const { root } = document;
  const place = Object.keys(STYLES).find((key) => key === value.in) as ParameterPlace | undefined;
  const name = String(value.name);
  if (place === undefined || (place === 'header' && IGNORED_HEADERS.test(name))) return undefined;
  const style = toStyle(value, place, `${place}.${name}`, document);
  if (style === undefined) return undefined;
  const [[mediaType, media] = ['', value]] = entriesOf(value.content);
  const { schema } = asObject(media);
  const at = document.pointerTo(media, 'schema');
  const hasNames = place === 'query' && style.explode && propertiesOf(root, schema).length > 0;
  const isDeep = style.style === 'deepObject' && areOthersText(root, schema);
  const canHoldObject = (isDeep || hasNames) && isFlat(root, schema);
  if (!isJson(mediaType) && !canHoldObject && typesOf(root, schema).has('object')) {
    const message = `An object in this style is not supported, so ${place}.${name} is not checked.`;
    document.warn(at, `${message} Use content with application/json.`);
    return undefined;
  }
  const defaultValue = asObject(schema).default ?? follow(root, schema).default;
  const parameter: Parameter = {
    name,
    in: place,
    ...style,
    required: place === 'path' || value.required === true,
    ...(isJson(mediaType) ? AS_JSON : describeShape(root, schema)),
    ...(value['x-berth-greedy'] === true && { greedy: true }),
    ...(defaultValue !== undefined && { default: defaultValue }),
  };
  // A reference, so that errors point into the schema.
  return { parameter, schema: schema === undefined || { $ref: toReference(at) } };
}

/**
 * The fields of a form, or `undefined` if one of them is not supported. OpenAPI 3.1.1 §4.8.15.1: an object is JSON,
 * unless its encoding has a style.
 */
export function describeFields(media: unknown, schema: unknown, document: OpenApiDocument) {
  if (!areOthersText(document.root, schema)) {
    const message = 'Other fields of a form are text, so this form is not checked.';
    document.warn(document.pointerTo(media, 'schema'), `${message} List them as properties.`);
    return undefined;
  }
  const encodings = new Map(entriesOf(asObject(media).encoding));
  const properties = new Map(propertiesOf(document.root, schema));
  const fields = [...properties].flatMap(([name, property]): Parameter[] => {
    const style = toStyle(asObject(encodings.get(name)), 'query', 'this form', document);
    if (style === undefined) return [];
    const isDeep = style.style === 'deepObject';
    const isObjectOfText =
      isFlat(document.root, property) && areOthersText(document.root, property);
    if (isDeep && !isObjectOfText) {
      const message = 'An object in this style is not supported, so this form is not checked.';
      document.warn(document.pointerTo(property), `${message} Leave out the style to send JSON.`);
      return [];
    }
    const asJson = !isDeep && typesOf(document.root, property).has('object');
    const shape = asJson ? AS_JSON : describeShape(document.root, property);
    return [{ name, in: 'query', ...style, required: false, ...shape }];
  });
  return fields.length === properties.size ? fields : undefined;
}

/** `undefined` if the style is not supported. */
function toStyle(
  object: JsonObject,
  place: ParameterPlace,
  what: string,
  document: OpenApiDocument,
): Style | undefined {
  const supported: readonly Style['style'][] = STYLES[place];
  const { style: requested = supported[0], explode } = object;
  const style = supported.find((name) => name === requested);
  if (style !== undefined) {
    return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
  }
  const message = `The style ${requested} is not supported, so ${what} is not checked.`;
  const fix = `Use ${supported.join(' or ')}.`;
  document.warn(document.pointerTo(object, 'style'), `${message} ${fix}`);
  return undefined;
}

/**
 * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
 * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
 * those of a single value that is allowed too.
 */
function describeShape(root: JsonObject, schema: unknown): Shape {
  const types = typesOf(root, schema);
  if (types.has('object')) {
    const properties = propertiesOf(root, schema).map(([name, property]) => {
      return [name, toScalars(typesOf(root, property))] as const;
    });
    return { shape: 'object', types: toScalars(types), properties: Object.fromEntries(properties) };
  }
  if (!types.has('array')) return { shape: 'scalar', types: toScalars(types) };
  const parts = partsOf(root, schema);
  const items = new Set(parts.flatMap((part) => [...typesOf(root, part.items)]));
  const first = parts.flatMap((part) =>
    toList(part.prefixItems).map((item) => typesOf(root, item)),
  );
  if (![items, ...first].every(isScalar)) return AS_JSON;
  const prefix = first.length > 0 && { prefix: first.map(toScalars) };
  return { shape: 'array', types: toScalars(items), ...prefix };
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

/** Whether no property is a list or an object, which neither `deepObject` nor an exploded `form` can represent. */
function isFlat(root: JsonObject, schema: unknown): boolean {
  return propertiesOf(root, schema).every(([, property]) => isScalar(typesOf(root, property)));
}

/** Whether other properties may be text, as which they are read. */
function areOthersText(root: JsonObject, schema: unknown): boolean {
  const others = partsOf(root, schema).map((part) => typesOf(root, part.additionalProperties));
  return others.every((types) => types.size === 0 || types.has('string'));
}

function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}
