import type { Parameter, ParameterStyle, ScalarType } from '../../src/runtime/route-table.ts';
import { isObject } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import type { Reader } from './reader.ts';
import { sameValue } from './same-value.ts';
import { isScalar, toScalars, type ValueType, valueTypes } from './value-types.ts';

type Shape = Pick<Parameter, 'shape' | 'types' | 'properties' | 'additional'>;

const NESTED =
  'OpenAPI does not say how lists and objects are written inside an object in a parameter. Use content: application/json.';

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
    const additional = readAdditional(schema, pointer, reader);
    if (properties === undefined || additional === 'refused') return undefined;
    return { shape: 'object', types: scalars, properties, ...(additional && { additional }) };
  }
  if (types.has('array')) {
    const parts = sameValue(schema, store);
    const kinds = itemTypes(parts, store);
    const isTuple = parts.some((part) => 'prefixItems' in part);
    if (isTuple && new Set(kinds.map((each) => toScalars(each).join())).size > 1) {
      reader.refuse(
        pointer,
        'The items of this list differ in type, and text does not tell them apart. Use content: application/json.',
      );
      return undefined;
    }
    const items = new Set(kinds.flatMap((each) => [...each]));
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
  const properties: [string, readonly ScalarType[]][] = [];
  for (const [name, property] of sameValue(schema, reader.store).flatMap(propertiesOf)) {
    const types = valueTypes(property, reader.store);
    if (!isScalar(types)) {
      reader.refuse(join(pointer, 'properties', name), NESTED);
      return undefined;
    }
    properties.push([name, toScalars(types)]);
  }
  // A property may be named `__proto__`.
  return Object.fromEntries(properties);
}

/** Types of the properties without a name, where the schema speaks of such. */
function readAdditional(
  schema: Schema,
  pointer: Pointer,
  reader: Reader,
): readonly ScalarType[] | 'refused' | undefined {
  const parts = sameValue(schema, reader.store);
  const spoken = parts
    .map((part) => part.additionalProperties)
    .filter((each) => each !== undefined);
  if (spoken.includes(false)) return undefined;
  const [additional] = spoken;
  if (additional === undefined) {
    return parts.some((part) => propertiesOf(part).length > 0) ? undefined : ['string'];
  }
  const types = valueTypes(additional as Schema, reader.store);
  if (isScalar(types)) return toScalars(types);
  reader.refuse(join(pointer, 'additionalProperties'), NESTED);
  return 'refused';
}

/** Types of the items, once for each schema that speaks of items. */
function itemTypes(parts: readonly SchemaObject[], store: SchemaStore): Set<ValueType>[] {
  return parts
    .flatMap((part) => [part.items, ...membersOf(part, 'prefixItems')])
    .filter((items) => isObject(items))
    .map((items) => valueTypes(items, store));
}
