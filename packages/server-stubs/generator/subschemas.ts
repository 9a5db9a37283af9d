import { entriesOf, isObject, type JsonObject, targetOf, toList } from './json.ts';
import { ALL_OF, type Application, COMPOSITIONS, KEYWORDS } from './keywords.ts';

/** Returns the value of a keyword with changed subschemas, or `undefined` if it takes none. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown) => unknown,
): unknown {
  const takes = KEYWORDS.get(keyword)?.takes;
  if (takes === 'schema') return change(value);
  if (takes === 'list') return toList(value).map(change);
  if (takes !== 'map') return undefined;
  return Object.fromEntries(entriesOf(value).map(([name, schema]) => [name, change(schema)]));
}

/** The direct subschemas of a schema, or those that apply in these ways, without the target of its `$ref`. */
export function subschemasOf(schema: JsonObject, applications?: readonly Application[]): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const { takes, applies } = KEYWORDS.get(keyword) ?? {};
    if (takes === undefined || applications?.includes(applies) === false) return [];
    return takes === 'schema' ? [value] : Object.values(Object(value));
  });
}

/** Returns a schema and all others that apply to the same value, through `$ref` and composition. */
export function partsOf(
  root: JsonObject,
  schema: unknown,
  applications = COMPOSITIONS,
  seen: Set<unknown> = new Set(),
): JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const related = [...subschemasOf(schema, applications), targetOf(root, schema)];
  return [schema, ...related.flatMap((part) => partsOf(root, part, applications, seen))];
}

/** The properties of all parts of a schema. */
export function propertiesOf(root: JsonObject, schema: unknown, applications = COMPOSITIONS) {
  return partsOf(root, schema, applications).flatMap(({ properties }) => entriesOf(properties));
}

/** The mark may be on the property, through its `$ref` or in its `allOf`. */
export function isMarked(root: JsonObject, property: unknown, mark: 'readOnly' | 'writeOnly') {
  return partsOf(root, property, ALL_OF).some((part) => part[mark] === true);
}

/** Objects whose members have names, which may look like keywords. */
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
