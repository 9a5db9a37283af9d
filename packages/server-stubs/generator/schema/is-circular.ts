import { isObject } from '../document/json.ts';
import type { Pointer } from '../document/pointer.ts';
import { isSchema, membersOf, type Schema } from './schema.ts';

/**
 * Whether a schema leads back to itself without a step into the value: judging any value by it would
 * never end.
 *
 * @param get gives the schema at a pointer
 */
export function isCircular(pointer: Pointer, get: (pointer: Pointer) => Schema): boolean {
  const visited = new Set<Pointer>();
  return leadsBack(get(pointer));

  function leadsBack(schema: Schema): boolean {
    if (!isObject(schema)) return false;
    const { $ref } = schema;
    if ($ref === pointer) return true;
    if ($ref !== undefined && !visited.has($ref)) {
      visited.add($ref);
      if (leadsBack(get($ref))) return true;
    }
    return sameValue(schema).some(leadsBack);
  }
}

/** Subschemas that judge the very value that the schema judges. */
function sameValue(schema: Exclude<Schema, boolean>): Schema[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => membersOf(schema, key));
  const single = [schema.not, schema.if, schema.then, schema.else].filter(isSchema);
  return [...lists, ...single];
}
