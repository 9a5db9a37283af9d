import { FieldError } from '../field-error.ts';
import { isObject } from '../is-object.ts';
import { nearest } from '../nearest.ts';
import { CODES, SURFACES } from './codes.ts';
import type { Fault, Latency } from './fault.ts';

/** Nobody waits longer: one hour. */
const MOST_MILLISECONDS = 3_600_000;

type Readers = { readonly [Field in keyof Fault]-?: (value: unknown) => Fault[Field] | undefined };

/** How each field is read; undefined for what is none. */
const READERS: Readers = {
  latency: (value) => (isLatency(value) ? value : undefined),
  code: (value) => (isCode(value) ? value : undefined),
  reset: (value) => (value === true || isAfter(value) ? value : undefined),
  truncate: (value) => (isCount(value) ? value : undefined),
  bytesPerSecond: (value) => (isCount(value) && value > 0 ? value : undefined),
  callsPerSecond: (value) => (isPositive(value) ? value : undefined),
  expiredToken: (value) => (value === true ? value : undefined),
};

const RULES: { readonly [Field in keyof Fault]-?: string } = {
  latency:
    'must be milliseconds up to one hour (200), a range ({ "min": 100, "max": 300 }; 100..300), or a normal distribution ({ "mean": 200, "deviation": 50 }; 200~50).',
  code: 'must be a code of an error table of the contract, such as SERVICE_TIMEOUT.',
  reset: 'must be true, or { "after": bytes of the body } (reset=100).',
  truncate: 'must be a whole number of bytes.',
  bytesPerSecond: 'must be a whole number of at least 1.',
  callsPerSecond: 'must be a number above 0.',
  expiredToken: 'must be true, or be left out.',
};

export const FAULT_FIELDS = Object.keys(READERS) as readonly (keyof Fault)[];

/**
 * Reads a fault that came from outside.
 *
 * @param place what its fields are called by: `fault` for `fault.latency`; empty for `latency`
 * @throws FieldError that names the field and what it must be
 */
export function toFault(value: unknown, place: string): Fault {
  if (!isObject(value)) {
    throw new FieldError(place || 'The fault', 'must be an object, such as { "latency": 200 }.');
  }
  const entries = Object.entries(value).filter(([, given]) => given !== undefined);
  if (entries.length === 0) {
    throw new FieldError(place || 'The fault', `must have one of ${FAULT_FIELDS.join(', ')}.`);
  }
  return Object.fromEntries(
    entries.map(([name, given]) => {
      const field = place === '' ? name : `${place}.${name}`;
      if (!Object.hasOwn(READERS, name)) throw toUnknown(field, name, FAULT_FIELDS);
      const read = READERS[name as keyof Fault](given);
      if (read === undefined) throw new FieldError(field, toRule(name as keyof Fault, given));
      return [name, read];
    }),
  );
}

/** A field that there is not, and the one that may be meant. */
export function toUnknown(field: string, name: string, known: readonly string[]): FieldError {
  const near = nearest(name, known);
  const hint = near === undefined ? `there are ${known.join(', ')}` : `do you mean ${near}?`;
  return new FieldError(field, `is no field: ${hint}${near === undefined ? '.' : ''}`);
}

function toRule(name: keyof Fault, given: unknown): string {
  const near =
    name === 'code' && typeof given === 'string'
      ? nearest(given, Object.values(CODES).flat())
      : undefined;
  return near === undefined ? RULES[name] : `${RULES[name]} Do you mean ${near}?`;
}

function isLatency(value: unknown): value is Latency {
  if (isMilliseconds(value)) return true;
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  const { min, max, mean, deviation } = value;
  if (isMilliseconds(min) && isMilliseconds(max)) return min <= max;
  return isMilliseconds(mean) && isMilliseconds(deviation);
}

function isMilliseconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_MILLISECONDS;
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && SURFACES.some((surface) => CODES[surface].includes(value));
}

function isAfter(value: unknown): value is { after: number } {
  return isObject(value) && Object.keys(value).length === 1 && isCount(value.after);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}
