import type { Parameter, ParameterStyle, ScalarType } from '../../src/runtime/route-table.ts';
import { join, type Pointer } from '../document/pointer.ts';
import { membersOf, propertiesOf, type Schema } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import type { Reader } from './reader.ts';
import { toScalars, type ValueType, valueTypes } from './value-types.ts';

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties'>;

/**
 * How a parameter's text is read. Where a schema lets it be one value or several, it is always read
 * as several, so that a handler meets one form only. Where it may be one value or an object (in style
 * `deepObject`), `types` are those of the one value.
 *
 * @returns `undefined`, with a refusal, where no style of OpenAPI says how the value is written
 */
export function readShape(
  schema: Schema,
  style: ParameterStyle,
  pointer: Pointer,
  reader: Reader,
): Shape | undefined {
  const { store } = reader;
  const types = valueTypes(schema, store);
  if (types.has('object')) {
    const scalars = toScalars(types);
    if (style !== 'deepObject' && (scalars.length > 0 || types.has('array'))) {
      reader.refuse(
        pointer,
        'A parameter that may be an object and something else cannot be told apart in its text. Split it, or use style deepObject.',
      );
      return undefined;
    }
    const properties = readProperties(schema, pointer, reader);
    return properties && { shape: 'object', types: scalars, properties };
  }
  if (types.has('array')) {
    const items = itemTypes(schema, store);
    if (!isScalar(items)) {
      reader.refuse(
        pointer,
        'OpenAPI does not say how lists of lists or of objects are written in a parameter. Use content: application/json.',
      );
      return undefined;
    }
    const own = [...types].filter((type) => type !== 'array' && type !== 'null');
    return { shape: 'array', types: toScalars(new Set([...items, ...(items.size ? own : [])])) };
  }
  return { shape: 'scalar', types: toScalars(types) };
}

function readProperties(
  schema: Schema,
  pointer: Pointer,
  reader: Reader,
): Record<string, readonly ScalarType[]> | undefined {
  const properties: Record<string, readonly ScalarType[]> = {};
  for (const [name, property] of allProperties(schema, reader.store)) {
    const types = valueTypes(property, reader.store);
    if (!isScalar(types)) {
      reader.refuse(
        join(pointer, 'properties', name),
        'OpenAPI does not say how lists and objects are written inside an object in a parameter. Use content: application/json.',
      );
      return undefined;
    }
    properties[name] = toScalars(types);
  }
  return properties;
}

function allProperties(schema: Schema, store: SchemaStore): [string, Schema][] {
  const target = store.resolve(schema);
  if (typeof target === 'boolean') return [];
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => membersOf(target, key));
  return [...propertiesOf(target), ...parts.flatMap((part) => allProperties(part, store))];
}

function itemTypes(schema: Schema, store: SchemaStore): Set<ValueType> {
  const target = store.resolve(schema);
  if (typeof target === 'boolean') return new Set();
  const items = target.items;
  if (items !== undefined) return valueTypes(items as Schema, store);
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => membersOf(target, key));
  return new Set(parts.flatMap((part) => [...itemTypes(part, store)]));
}

function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}
