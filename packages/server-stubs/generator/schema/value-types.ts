import type { ScalarType } from '../../src/runtime/route-table.ts';
import { membersOf, propertiesOf, type Schema, typesOf } from './schema.ts';
import type { SchemaStore } from './schema-store.ts';

export type ValueType = ScalarType | 'array' | 'object';

/** Scalar types, in the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** None if the schema does not restrict them. */
export function valueTypes(schema: Schema, store: SchemaStore): Set<ValueType> {
  return collect(schema, store, new Set());
}

/** In the order in which text is converted. Without restrictions, only strings. */
export function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  const scalars = SCALARS.filter((type) => types.has(type));
  return types.size === 0 ? ['string'] : scalars;
}

export function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}

function collect(schema: Schema, store: SchemaStore, seen: Set<string>): Set<ValueType> {
  if (typeof schema === 'boolean') return new Set();
  const own = new Set(typesOf(schema) as ValueType[]);
  if (own.size > 0) return own;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (schema.$ref !== undefined && !seen.has(schema.$ref)) {
    const target = collect(store.get(schema.$ref), store, new Set([...seen, schema.$ref]));
    if (target.size > 0) return target;
  }
  for (const part of membersOf(schema, 'allOf')) {
    const types = collect(part, store, seen);
    if (types.size > 0) return types;
  }
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const choices = membersOf(schema, keyword).map((each) => collect(each, store, seen));
    if (choices.some((types) => types.size > 0))
      return new Set(choices.flatMap((each) => [...each]));
  }
  if (propertiesOf(schema).length > 0) return new Set(['object']);
  if ('items' in schema) return new Set(['array']);
  return new Set();
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value as ValueType;
}
