import { membersOf, propertiesOf, type Schema, type SchemaObject } from './schema.ts';
import type { SchemaStore } from './schema-store.ts';

/** Which way a value travels: `readOnly` means nothing in a request, `writeOnly` in a response. */
export type Direction = 'request' | 'response';

/** Whether a schema is marked as not for this direction, itself or by a `$ref` or `allOf`. */
function isHidden(schema: Schema, direction: Direction, store: SchemaStore): boolean {
  return isMarked(schema, direction === 'request' ? 'readOnly' : 'writeOnly', store, new Set());
}

function isMarked(schema: Schema, mark: string, store: SchemaStore, seen: Set<string>): boolean {
  if (typeof schema === 'boolean') return false;
  if (typeof schema[mark] === 'boolean') return schema[mark];
  const { $ref } = schema;
  if ($ref !== undefined && !seen.has($ref)) {
    seen.add($ref);
    if (isMarked(store.get($ref), mark, store, seen)) return true;
  }
  return membersOf(schema, 'allOf').some((each) => isMarked(each, mark, store, seen));
}

/** Names of the properties not for this direction, those of `allOf` and `$ref` among them. */
export function hiddenProperties(
  schema: SchemaObject,
  direction: Direction,
  store: SchemaStore,
  seen: Set<string> = new Set(),
): Set<string> {
  const names = new Set<string>();
  for (const [name, property] of propertiesOf(schema)) {
    if (isHidden(property, direction, store)) names.add(name);
  }
  const parts = membersOf(schema, 'allOf');
  if (schema.$ref !== undefined && !seen.has(schema.$ref)) {
    seen.add(schema.$ref);
    parts.push(store.get(schema.$ref));
  }
  for (const part of parts) {
    if (typeof part === 'boolean') continue;
    for (const name of hiddenProperties(part, direction, store, seen)) names.add(name);
  }
  return names;
}
