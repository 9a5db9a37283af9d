import type { ScalarType } from '../src/runtime/portable/route-table.ts';
import { entriesOf, isObject, type JsonObject, targetOf, toList } from './json.ts';
import { KEYWORDS, type Scope } from './keywords.ts';

export type ValueType = ScalarType | 'array' | 'object';

/** Returns a keyword's value with changed subschemas, or `undefined` if it takes none. A place: `['allOf', '0']`. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown, place: readonly string[]) => unknown,
): unknown {
  const takes = KEYWORDS.get(keyword)?.takes;
  if (takes === 'schema') return change(value, [keyword]);
  if (takes === 'list') {
    return toList(value).map((schema, index) => change(schema, [keyword, String(index)]));
  }
  if (takes !== 'map') return undefined;
  const entries = entriesOf(value).map(([name, schema]) => [name, change(schema, [keyword, name])]);
  return Object.fromEntries(entries);
}

/** The direct subschemas of a schema, or those of some scopes, without the target of its `$ref`. */
export function subschemasOf(schema: JsonObject, scopes?: readonly Scope[]): unknown[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    const keyword = KEYWORDS.get(name);
    if (keyword === undefined || scopes?.includes(keyword.scope) === false) return [];
    return keyword.takes === 'schema' ? [value] : Object.values(Object(value));
  });
}

/** Returns a schema and all others that its values must match, through `$ref` and `allOf`. */
export function partsInAllOf(
  root: JsonObject,
  schema: unknown,
  scopes: readonly Scope[] = ['always'],
): JsonObject[] {
  // The loop also visits members that are added during it.
  const parts = new Set([schema].filter(isObject));
  for (const part of parts) {
    const related = [...subschemasOf(part, scopes), targetOf(root, part)];
    for (const next of related.filter(isObject)) parts.add(next);
  }
  return [...parts];
}

/** Also returns the alternatives of `anyOf` and `oneOf`. */
export function partsInCompositions(root: JsonObject, schema: unknown): JsonObject[] {
  return partsInAllOf(root, schema, ['always', 'alternative']);
}

export function propertiesOf(parts: readonly JsonObject[]): [name: string, schema: unknown][] {
  return parts.flatMap(({ properties }) => entriesOf(properties));
}

/** The types that a schema allows, or none if it does not restrict them. */
export function typesOf(root: JsonObject, schema: unknown): Set<ValueType> {
  const [first = [], ...rest] = partsInCompositions(root, schema).map((part): ValueType[] => {
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

export type Mark = 'readOnly' | 'writeOnly';

/** The mark may be on the property, through its `$ref` or in its `allOf`. */
export function isMarked(root: JsonObject, property: unknown, mark: Mark): boolean {
  return partsInAllOf(root, property).some((part) => part[mark] === true);
}

/** Whether a property of this name has the mark, in the schema, through its `$ref` or in its `allOf`. */
export function hasMarked(root: JsonObject, schema: unknown, name: unknown, mark: Mark): boolean {
  return propertiesOf(partsInAllOf(root, schema)).some(
    ([key, property]) => key === name && isMarked(root, property, mark),
  );
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
