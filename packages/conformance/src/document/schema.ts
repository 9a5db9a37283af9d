import { isObject, type JsonObject, locate } from '../contract/openapi.ts';

/** Maximum depth to which a schema that contains itself is followed. */
const DEEPEST = 5;
const MOST_FIELDS = 500;

/**
 * Returns a schema with its reference and its `allOf` merged into one object. Use the result only to create
 * values, and validate these against the original schema.
 */
export function flatten(root: JsonObject, schema: unknown, depth = 0): JsonObject {
  if (!isObject(schema) || depth > DEEPEST * 2) return {};
  const { $ref, allOf, ...own } = schema;
  const target = typeof $ref === 'string' ? locate(root, { $ref }, '').value : undefined;
  const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isObject);
  return parts.map((part) => flatten(root, part, depth + 1)).reduce(merge, own);
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const lists = [one.required, other.required].filter(Array.isArray).flat();
  const properties = { ...Object(one.properties), ...Object(other.properties) };
  return {
    ...other,
    ...one,
    ...(lists.length > 0 ? { required: [...new Set(lists)] } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  };
}

/** Returns the alternatives of a schema (`oneOf`, `anyOf`), or the schema itself if it has none. */
export function alternatives(root: JsonObject, schema: JsonObject): JsonObject[] {
  const { oneOf, anyOf, ...own } = schema;
  const branches = [oneOf, anyOf].find(Array.isArray);
  if (branches === undefined) return [schema];
  return branches.map((branch) => flatten(root, merge(flatten(root, branch), own)));
}

/** A path in a JSON value, which consists of property names and `*` for the items of an array. */
export type Path = readonly string[];

/** Formats a path for messages: `items[].name`. */
export function spellPath(path: Path): string {
  return path.map((step, at) => (step === '*' ? '[]' : `${at > 0 ? '.' : ''}${step}`)).join('');
}

/** Returns the schema for every path in a value, including the value itself. */
export function listPlaces(
  root: JsonObject,
  schema: unknown,
): Map<string, { path: Path; schema: JsonObject }> {
  const found = new Map<string, { path: Path; schema: JsonObject }>();
  const visit = (node: unknown, path: Path) => {
    const key = spellPath(path);
    if (path.length > DEEPEST || found.size >= MOST_FIELDS) return;
    for (const each of alternatives(root, flatten(root, node))) {
      if (!found.has(key)) found.set(key, { path, schema: each });
      for (const [name, property] of Object.entries(Object(each.properties))) {
        visit(property, [...path, name]);
      }
      if (isObject(each.items)) visit(each.items, [...path, '*']);
    }
  };
  visit(schema, []);
  return found;
}

/** Returns the paths that exist in a value, as `spellPath` formats them. */
export function listSeen(value: unknown, path: Path = [], seen = new Set<string>()): Set<string> {
  if (path.length > DEEPEST) return seen;
  seen.add(spellPath(path));
  if (Array.isArray(value)) for (const item of value) listSeen(item, [...path, '*'], seen);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) listSeen(item, [...path, name], seen);
  }
  return seen;
}

/** Returns all values at a path, in which `*` stands for every item of an array. */
export function valuesAt(value: unknown, [step, ...rest]: Path): unknown[] {
  if (step === undefined) return [value];
  if (step === '*') {
    return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  }
  return isObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}
