import type { ScalarType } from '../src/runtime/portable/route-table.ts';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  reachable,
  targetOf,
  toList,
} from './json.ts';

/**
 * When the schemas of a keyword apply to the value that contains it: always (`allOf`), as an alternative (`anyOf`), on
 * a condition (`then`), as a test that requires nothing (`if`), or not at all (`items`, which describes other values).
 */
type Applies = 'always' | 'alternative' | 'condition' | 'test' | 'children';

interface Keyword {
  /** One schema (`not`), a list of schemas (`allOf`), or schemas by name (`properties`). */
  readonly contains: 'schema' | 'list' | 'map';
  readonly applies: Applies;
  /**
   * If a part is not checked, most keywords accept more, but these may reject valid values: in
   * `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
   */
  readonly needsAllParts?: true;
}

/** All keywords that contain schemas. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', { contains: 'list', applies: 'always' }],
  ['anyOf', { contains: 'list', applies: 'alternative' }],
  ['oneOf', { contains: 'list', applies: 'alternative', needsAllParts: true }],
  ['then', { contains: 'schema', applies: 'condition' }],
  ['else', { contains: 'schema', applies: 'condition' }],
  ['dependentSchemas', { contains: 'map', applies: 'condition' }],
  ['if', { contains: 'schema', applies: 'test', needsAllParts: true }],
  ['not', { contains: 'schema', applies: 'test', needsAllParts: true }],
  ['contains', { contains: 'schema', applies: 'children', needsAllParts: true }],
  ['unevaluatedItems', { contains: 'schema', applies: 'children', needsAllParts: true }],
  ['unevaluatedProperties', { contains: 'schema', applies: 'children', needsAllParts: true }],
  ['items', { contains: 'schema', applies: 'children' }],
  ['prefixItems', { contains: 'list', applies: 'children' }],
  ['properties', { contains: 'map', applies: 'children' }],
  ['patternProperties', { contains: 'map', applies: 'children', needsAllParts: true }],
  ['additionalProperties', { contains: 'schema', applies: 'children' }],
  ['propertyNames', { contains: 'schema', applies: 'children' }],
]);

export type ValueType = ScalarType | 'array' | 'object';

/** Returns a keyword's value with changed subschemas, or `undefined` if it contains none. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown) => unknown,
): unknown {
  const contains = KEYWORDS.get(keyword)?.contains;
  if (contains === 'schema') return change(value);
  if (contains === 'list') return toList(value).map(change);
  if (contains !== 'map') return undefined;
  return Object.fromEntries(entriesOf(value).map(([name, schema]) => [name, change(schema)]));
}

/** The direct subschemas of a schema, or those that apply in certain ways, without the target of its `$ref`. */
export function subschemasOf(schema: unknown, applies?: readonly Applies[]): unknown[] {
  return entriesOf(schema).flatMap(([name, value]) => {
    const keyword = KEYWORDS.get(name);
    if (keyword === undefined || applies?.includes(keyword.applies) === false) return [];
    return keyword.contains === 'schema' ? [value] : Object.values(Object(value));
  });
}

/** All schemas of each property, as one schema. */
export function propertiesOf(parts: readonly JsonObject[]): Map<string, unknown> {
  const properties = new Map<string, unknown>();
  const entries = parts.flatMap((part) => entriesOf(part.properties));
  for (const [name, members] of Map.groupBy(entries, ([name]) => name)) {
    const schemas = members.map(([, schema]) => schema);
    properties.set(name, schemas.length === 1 ? schemas[0] : { allOf: schemas });
  }
  return properties;
}

export type Annotation = 'readOnly' | 'writeOnly';

/**
 * Reads the schemas of a document that no longer changes, each of them once: if 40 schemas refer twice to the next one,
 * there are 2^40 ways to the last.
 */
export function createSchemaReader(root: JsonObject) {
  /** The schemas in the `allOf` of a schema, and the target of its `$ref`, which its values must match too. */
  const partsOf = (schema: JsonObject): JsonObject[] =>
    [...toList(schema.allOf), targetOf(root, schema)].filter(isObject);

  /** Returns a schema and all others that its values must match, through `$ref` and `allOf`. */
  const partsInAllOf = (schema: unknown): JsonObject[] => [
    ...reachable([schema].filter(isObject), partsOf),
  ];

  /** Also returns the alternatives of `anyOf` and `oneOf`. */
  const partsInCompositions = (schema: unknown): JsonObject[] => [
    ...reachable([schema].filter(isObject), (part) => {
      const alternatives = [...toList(part.anyOf), ...toList(part.oneOf)];
      return [...partsOf(part), ...alternatives.filter(isObject)];
    }),
  ];

  /** The types that a schema allows, or none if it does not restrict them. */
  const typesOf = remember((schema): ReadonlySet<ValueType> => {
    const alternatives = [schema.anyOf, schema.oneOf].map((list) => {
      return new Set(toList(list).flatMap((part) => [...typesOf(part)]));
    });
    return [...partsOf(schema).map(typesOf), ...alternatives].reduce(
      restrict,
      declaredTypes(schema),
    );
  });

  /** The annotations of a property. They may be on its schema, through its `$ref` or in its `allOf`. */
  const annotationsOf = remember((property): ReadonlySet<Annotation> => {
    const found = partsOf(property).flatMap((part) => [...annotationsOf(part)]);
    if (property.readOnly === true) found.push('readOnly');
    if (property.writeOnly === true) found.push('writeOnly');
    return new Set(found);
  });

  return { partsOf, partsInAllOf, partsInCompositions, typesOf, annotationsOf };
}

/** Caches the result for each object, such as a schema. Anything else counts as an empty one. */
export function remember<Result>(
  compute: (schema: JsonObject) => Result,
): (schema: unknown) => Result {
  const results = new WeakMap<JsonObject, Result>();
  return (value) => {
    const schema = asObject(value);
    const result = results.get(schema) ?? compute(schema);
    results.set(schema, result);
    return result;
  };
}

/** Types that both sets allow: an integer is a number. An empty set restricts nothing. */
function restrict(a: ReadonlySet<ValueType>, b: ReadonlySet<ValueType>): ReadonlySet<ValueType> {
  const types = [...a, ...b];
  const allows = (set: ReadonlySet<ValueType>, type: ValueType) =>
    set.has(type) || (type === 'integer' && set.has('number'));
  const common = types.filter((type) => allows(a, type) && allows(b, type));
  return new Set(common.length > 0 ? common : types);
}

function declaredTypes(schema: JsonObject): ReadonlySet<ValueType> {
  if (schema.type !== undefined) return new Set([schema.type].flat() as ValueType[]);
  if ('const' in schema) return new Set([typeOf(schema.const)]);
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(typeOf));
  if (entriesOf(schema.properties).length > 0) return new Set(['object']);
  return new Set('items' in schema || 'prefixItems' in schema ? ['array'] : []);
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as ValueType);
}

/** Objects whose keys are user-defined names, which may look like keywords. */
const MAPS_BY_NAME =
  /^(?:responses|parameters|requestBodies|headers|callbacks|pathItems|links|content|encoding)$/;

/** Visits all schemas of a document, but not examples and extensions, which may look like schemas. */
export function visitSchemas(value: unknown, visit: (schema: JsonObject) => void): void {
  for (const [key, member] of Array.isArray(value) ? value.entries() : entriesOf(value)) {
    if (key === 'schema') visitSchema(member, visit);
    else if (key === 'schemas' || key === 'definitions') {
      for (const [, schema] of entriesOf(member)) visitSchema(schema, visit);
    } else if (MAPS_BY_NAME.test(String(key))) {
      for (const item of Object.values(Object(member))) visitSchemas(item, visit);
    } else if (!/^(?:examples?|x-.*)$/.test(String(key))) visitSchemas(member, visit);
  }
}

/** Visits a schema before its subschemas. */
export function visitSchema(schema: unknown, visit: (schema: JsonObject) => void): void {
  if (!isObject(schema)) return;
  visit(schema);
  for (const subschema of subschemasOf(schema)) visitSchema(subschema, visit);
}
