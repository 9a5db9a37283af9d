import { membersOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';

/** A schema and all that judge the same value with it, by `$ref` or composition. */
export function sameValue(
  schema: Schema,
  store: SchemaStore,
  seen: Set<Schema> = new Set(),
): SchemaObject[] {
  if (typeof schema === 'boolean' || seen.has(schema)) return [];
  seen.add(schema);
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => membersOf(schema, key));
  if (schema.$ref !== undefined) parts.push(store.get(schema.$ref));
  return [schema, ...parts.flatMap((part) => sameValue(part, store, seen))];
}
