import type { Parameter, ParameterStyle, ScalarType } from '../../src/runtime/route-table.ts';
import { isObject } from '../document.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import { type SchemaStore, sameValue } from '../schema/schema-store.ts';
import { isScalar, toScalars, type ValueType, valueTypes } from '../schema/value-types.ts';

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return (
    /^application\/(?:[^;]+\+)?json(?:-[a-z-]+)?\s*(?:;|$)/i.test(mediaType) ||
    /^[^;]+\+json\s*(?:;|$)/i.test(mediaType)
  );
}

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

/** For values that text alone cannot express. */
export const AS_JSON: Shape = { shape: 'json', types: [] };

/**
 * How the text of a parameter or a form field becomes a value of its schema. If a schema allows one value or
 * several, it is parsed as a list, so that handlers get only one form. In style `deepObject`, `types` are
 * those of a single value that is allowed too.
 */
export function readShape(schema: Schema, style: ParameterStyle, store: SchemaStore): Shape {
  const types = valueTypes(schema, store);
  if (types.has('object')) {
    const scalars = toScalars(types);
    const isOther = style !== 'deepObject' && (scalars.length > 0 || types.has('array'));
    const properties = readProperties(schema, store);
    const additional = readAdditional(schema, store);
    if (isOther || properties === undefined || additional === 'nested') return AS_JSON;
    return { shape: 'object', types: scalars, properties, ...(additional && { additional }) };
  }
  if (types.has('array')) {
    const parts = sameValue(schema, store);
    const kinds = itemTypes(parts, store);
    const isTuple = parts.some((part) => 'prefixItems' in part);
    const items = new Set(kinds.flatMap((each) => [...each]));
    // Text alone does not distinguish the items of a tuple.
    const isMixed = isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1;
    if (isMixed || !isScalar(items)) return AS_JSON;
    const own = [...types].filter((type) => type !== 'array' && type !== 'null');
    return { shape: 'array', types: toScalars(new Set([...items, ...(items.size ? own : [])])) };
  }
  return { shape: 'scalar', types: toScalars(types) };
}

/** `undefined` if one is a list or an object. */
function readProperties(
  schema: Schema,
  store: SchemaStore,
): Record<string, readonly ScalarType[]> | undefined {
  const properties = sameValue(schema, store).flatMap(propertiesOf);
  const types = properties.map(([name, property]) => [name, valueTypes(property, store)] as const);
  if (!types.every(([, each]) => isScalar(each))) return undefined;
  // A property may be named `__proto__`.
  return Object.fromEntries(types.map(([name, each]) => [name, toScalars(each)]));
}

/** Types of properties that are not named, or none if there may not be any. */
export function readAdditional(
  schema: Schema,
  store: SchemaStore,
): readonly ScalarType[] | 'nested' | undefined {
  const parts = sameValue(schema, store);
  const spoken = parts
    .map((part) => part.additionalProperties)
    .filter((each) => each !== undefined);
  if (spoken.includes(false)) return undefined;
  const [additional] = spoken;
  if (additional === undefined) {
    return parts.some((part) => propertiesOf(part).length > 0) ? undefined : ['string'];
  }
  const types = valueTypes(additional as Schema, store);
  return isScalar(types) ? toScalars(types) : 'nested';
}

function itemTypes(parts: readonly SchemaObject[], store: SchemaStore): Set<ValueType>[] {
  return parts
    .flatMap((part) => [part.items, ...membersOf(part, 'prefixItems')])
    .filter((items) => isObject(items))
    .map((items) => valueTypes(items, store));
}
