import { entriesOf, isObject, type JsonObject, targetOf, toList } from './openapi.ts';

/** Keywords that take one schema, a list of schemas, or schemas by name. */
const ONE =
  /^(?:items|additionalProperties|not|if|then|else|contains|propertyNames|unevaluatedItems|unevaluatedProperties)$/;
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
const BY_NAME = /^(?:properties|patternProperties|dependentSchemas)$/;

/** Keywords whose schemas apply to the same value. Only those of `allOf` always do. */
export const ALL_OF = /^allOf$/;
const COMPOSITIONS = /^(?:allOf|anyOf|oneOf)$/;
export const SAME_VALUE = /^(?:allOf|anyOf|oneOf|not|if|then|else)$/;

/** Returns the value of a keyword with other subschemas, or `undefined` if it takes none. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown) => unknown,
): unknown {
  if (ONE.test(keyword)) return change(value);
  if (LIST.test(keyword)) return toList(value).map(change);
  if (!BY_NAME.test(keyword)) return undefined;
  return Object.fromEntries(entriesOf(value).map(([name, schema]) => [name, change(schema)]));
}

/** The direct subschemas of a schema, without the target of its `$ref`. */
export function subschemasOf(schema: JsonObject, keywords = /./): unknown[] {
  const found: unknown[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keywords.test(keyword)) mapSubschemas(keyword, value, (subschema) => found.push(subschema));
  }
  return found;
}

/** Returns a schema and all others that apply to the same value, through `$ref` and composition. */
export function partsOf(
  root: JsonObject,
  schema: unknown,
  keywords = COMPOSITIONS,
  seen: Set<unknown> = new Set(),
): JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const related = [...subschemasOf(schema, keywords), targetOf(root, schema)];
  return [schema, ...related.flatMap((other) => partsOf(root, other, keywords, seen))];
}

/** The properties of all parts of a schema. */
export function propertiesOf(root: JsonObject, schema: unknown, keywords = COMPOSITIONS) {
  return partsOf(root, schema, keywords).flatMap(({ properties }) => entriesOf(properties));
}

/** The mark may be on the property, behind its `$ref` or in its `allOf`. */
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
