import type { ScalarType } from '../src/runtime/portable/route-table.ts';
import { entriesOf, isObject, type JsonObject, reachable, targetOf, toList } from './json.ts';

/**
 * When the schemas of a keyword apply to the value that contains it: always (`allOf`), as an alternative (`anyOf`), on
 * a condition (`then`), as a test that requires nothing (`if`), or not at all (`items`, which describes other values).
 */
type Applies = 'always' | 'alternative' | 'condition' | 'test' | 'other';

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
  ['contains', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['unevaluatedItems', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['unevaluatedProperties', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['items', { contains: 'schema', applies: 'other' }],
  ['prefixItems', { contains: 'list', applies: 'other' }],
  ['properties', { contains: 'map', applies: 'other' }],
  ['patternProperties', { contains: 'map', applies: 'other', needsAllParts: true }],
  ['additionalProperties', { contains: 'schema', applies: 'other' }],
  ['propertyNames', { contains: 'schema', applies: 'other' }],
]);

export type ValueType = ScalarType | 'array' | 'object';

/** Returns a keyword's value with changed subschemas, or `undefined` if it contains none. A location: `['allOf', '0']`. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown, location: readonly string[]) => unknown,
): unknown {
  const contains = KEYWORDS.get(keyword)?.contains;
  if (contains === 'schema') return change(value, [keyword]);
  if (contains === 'list') {
    return toList(value).map((schema, index) => change(schema, [keyword, String(index)]));
  }
  if (contains !== 'map') return undefined;
  const entries = entriesOf(value).map(([name, schema]) => [name, change(schema, [keyword, name])]);
  return Object.fromEntries(entries);
}

/** The direct subschemas of a schema, or those that apply in certain ways, without the target of its `$ref`. */
export function subschemasOf(schema: unknown, applies?: readonly Applies[]): unknown[] {
  return entriesOf(schema).flatMap(([name, value]) => {
    const keyword = KEYWORDS.get(name);
    if (keyword === undefined || applies?.includes(keyword.applies) === false) return [];
    return keyword.contains === 'schema' ? [value] : Object.values(Object(value));
  });
}

/** Returns a schema and all others that its values must match, through `$ref` and `allOf`. */
export function partsInAllOf(root: JsonObject, schema: unknown): JsonObject[] {
  return collectParts(root, schema, ['always']);
}

/** Also returns the alternatives of `anyOf` and `oneOf`. */
export function partsInCompositions(root: JsonObject, schema: unknown): JsonObject[] {
  return collectParts(root, schema, ['always', 'alternative']);
}

function collectParts(root: JsonObject, schema: unknown, applies: readonly Applies[]) {
  const next = (part: JsonObject) => {
    return [...subschemasOf(part, applies), targetOf(root, part)].filter(isObject);
  };
  return [...reachable([schema].filter(isObject), next)];
}

/** All schemas of each property, as one schema. */
export function propertiesOf(parts: readonly JsonObject[]): Map<string, JsonObject> {
  const entries = parts.flatMap(({ properties }) => entriesOf(properties));
  const byName = [...Map.groupBy(entries, ([name]) => name)];
  return new Map(byName.map(([name, each]) => [name, { allOf: each.map(([, schema]) => schema) }]));
}

/** The types that a schema allows, or none if it does not restrict them. */
export function typesOf(root: JsonObject, schema: unknown): Set<ValueType> {
  if (!isObject(schema)) return new Set();
  const typesOfPart = (part: unknown) => typesOf(root, part);
  const typesOfAny = (parts: unknown) =>
    new Set(toList(parts).flatMap((part) => [...typesOfPart(part)]));
  const { allOf, anyOf, oneOf } = schema;
  const all = [targetOf(root, schema), ...toList(allOf)].map(typesOfPart);
  return [...all, typesOfAny(anyOf), typesOfAny(oneOf)].reduce(restrict, ownTypesOf(schema));
}

/** What both allow. An empty set restricts nothing, and `number` and `integer` are both kept. */
function restrict(types: Set<ValueType>, others: Set<ValueType>): Set<ValueType> {
  const both = [...types].filter((type) => others.has(type));
  return new Set(both.length > 0 ? both : [...types, ...others]);
}

function ownTypesOf(schema: JsonObject): Set<ValueType> {
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

export type Annotation = 'readOnly' | 'writeOnly';

/** The annotation may be on the property, through its `$ref` or in its `allOf`. */
export function isAnnotated(root: JsonObject, property: unknown, annotation: Annotation): boolean {
  return partsInAllOf(root, property).some((part) => part[annotation] === true);
}

/** Whether a property of this name has the annotation, in the schema, through its `$ref` or in its `allOf`. */
export function hasHidden(root: JsonObject, schema: unknown, name: string, hidden: Annotation) {
  return isAnnotated(root, propertiesOf(partsInAllOf(root, schema)).get(name), hidden);
}

/** Objects whose keys are user-defined names, which may look like keywords. */
const NAMED =
  /^(?:responses|parameters|requestBodies|headers|callbacks|pathItems|links|content|encoding)$/;

/** Visits all schemas of a document, but not examples and extensions, which may look like schemas. */
export function visitSchemas(value: unknown, visit: (schema: JsonObject) => void): void {
  for (const [key, member] of Array.isArray(value) ? value.entries() : entriesOf(value)) {
    if (key === 'schema') visitSchema(member, visit);
    else if (key === 'schemas' || key === 'definitions') {
      for (const [, schema] of entriesOf(member)) visitSchema(schema, visit);
    } else if (NAMED.test(String(key))) {
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
