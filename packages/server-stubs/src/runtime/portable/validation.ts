/** What generated validators need, and the messages for what they find. Works in browsers. */
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { escapeName, toNames } from './encoding.ts';
import type { Violation } from './http-error.ts';
import type { SchemaError, Validator } from './route-table.ts';

export type { Validator } from './route-table.ts';

/** What generated validators would require from Ajv, by module. */
export const ajvHelpers = {
  'ajv/dist/runtime/equal': { default: isEqual },
  'ajv/dist/runtime/ucs2length': { default: countCharacters },
  'ajv-formats/dist/formats': { fullFormats },
};

/** JSON Schema counts characters, not UTF-16 code units. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Unlike fast-deep-equal, it calls no method: JSON may contain a field `valueOf` or `toString`. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const fields = new Map(Object.entries(b));
  const entries = Object.entries(a);
  return (
    entries.length === fields.size &&
    entries.every(([name, value]) => fields.has(name) && isEqual(value, fields.get(name)))
  );
}

/** Keywords whose errors Ajv reports after those of their subschemas, which may mislead. */
const COMPOSITES = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

/** Converts the errors of a validator. `value` is what was validated, and `prefix` its pointer in the location. */
export function toViolation(
  value: unknown,
  errors: Validator['errors'],
  location: Violation['in'],
  prefix = '',
): Violation {
  const error = findCause(errors as readonly SchemaError[]);
  const { params, instancePath } = error;
  // Ajv reports a missing property, and the tag of a discriminator, with the path of the object.
  const name = params.missingProperty ?? params.tag;
  const step = name === undefined ? '' : `/${escapeName(String(name))}`;
  const pointer = prefix + instancePath + step;
  const message = toMessage(error, `${location}${shorten(toPath(pointer))}`, value);
  return { in: location, pointer, message };
}

/**
 * Returns the first error, or that of a composite after those of its schemas. If all but one of its alternatives have a
 * different type, as in `anyOf: [pet, { type: 'null' }]`, returns the error of the remaining one.
 */
function findCause(errors: readonly SchemaError[]): SchemaError {
  const causes: SchemaError[] = [];
  for (const error of errors) {
    const { keyword, instancePath, params } = error;
    let cause = error;
    if (COMPOSITES.has(keyword)) {
      const isOutside = (earlier: SchemaError) =>
        !`${earlier.instancePath}/`.startsWith(`${instancePath}/`);
      const before = causes.findLastIndex(isOutside);
      const [only = error, ...alternatives] = causes.splice(before + 1).filter((inside) => {
        return inside.keyword !== 'type' || inside.instancePath !== instancePath;
      });
      if (keyword.endsWith('Of') && !params.passingSchemas && alternatives.length === 0)
        cause = only;
    }
    causes.push(cause);
  }
  return causes[0] as SchemaError;
}

function toMessage(
  { keyword, params, instancePath, message = 'is not valid' }: SchemaError,
  field: string,
  value: unknown,
): string {
  switch (keyword) {
    case 'required':
      return `${field} is missing.`;
    case 'type':
      return `${field} must be ${toTypes(params.type)}, got ${toTypes(typeAt(value, instancePath))}.`;
    case 'enum':
      return `${field} must be one of ${listValues(params.allowedValues)}.`;
    case 'const':
      return `${field} must be ${listValues([params.allowedValue])}.`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames': {
      const name = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
      return `${field} must not contain the property ${shorten(String(name))}.`;
    }
    case 'dependentRequired':
      return `${field} is missing, although ${shorten(String(params.property))} is present.`;
    case 'discriminator':
      return `${field} ${params.tagValue === undefined ? 'is missing' : 'must be a documented value'}.`;
    case 'multipleOf':
      return `${field} must be a multiple of ${params.multipleOf}.`;
    case 'format':
      return `${field} must be a valid ${String(params.format)}.`;
    default:
      return `${field} ${message.replace('must NOT', 'must not')}.`;
  }
}

/** The JSON type of what a pointer refers to. The value itself may be a secret. */
function typeAt(value: unknown, pointer: string): string {
  let found = value;
  for (const name of toNames(pointer)) found = Object(found)[name];
  if (found === null) return 'null';
  if (found === Infinity || found === -Infinity) return 'number that is out of range';
  return Array.isArray(found) ? 'array' : typeof found;
}

/** Turns `/fileList/0/fileID` into `.fileList[0].fileID`. */
function toPath(pointer: string): string {
  return toNames(pointer)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
}

function toTypes(type: unknown): string {
  const types = String(type)
    .split(',')
    .map((name) => (name === 'null' ? name : /^[aio]/.test(name) ? `an ${name}` : `a ${name}`));
  return types.join(' or ');
}

const MAX_VALUES = 20;

function listValues(values: readonly unknown[]): string {
  const list = values.slice(0, MAX_VALUES).map((value) => shorten(JSON.stringify(value)));
  const text = list.join(', ');
  return values.length > MAX_VALUES ? `${text}, … (${values.length} values)` : text;
}

/** Names and values may be as long as a body. */
function shorten(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}
