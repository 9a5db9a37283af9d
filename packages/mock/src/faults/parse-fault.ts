import { listOperations } from '../contract/contract.ts';
import { documents } from '../contract/documents.ts';
import type { SurfaceName } from '../contract/surface.ts';
import { FieldError, isObject, nearest, toMilliseconds } from '../util/values.ts';
import {
  CODES,
  type Fault,
  type FaultRule,
  type FaultSubject,
  type Latency,
  SERVICE,
  SURFACES,
} from './fault.ts';

/**
 * Reads the value of `--fault`: `<match>:<compact>`, or the compact form alone for every call. Here the
 * compact form may have `share` and `times` too.
 *
 * @throws FieldError that names the field and what it must be
 * @example
 * parseFaultFlag('fault-1', 'service:hello:latency=200~50,share=0.5');
 * // { name: 'fault-1', match: 'service:hello', share: 0.5, fault: { latency: { mean: 200, deviation: 50 } } }
 */
export function parseFaultFlag(name: string, flag: string): FaultRule {
  // A service has a colon of its own; the compact form has none.
  const colon = flag.lastIndexOf(':');
  const match = colon < 0 ? undefined : flag.slice(0, colon);
  const { share, times, ...fault } = parseFields(flag.slice(colon + 1));
  return toFaultRule(name, { match, share, times, fault });
}

/** Far more than all fields need. */
const MOST_CHARACTERS = 1_000;

/** The fields of a compact text, not judged yet: `latency=100..300,reset`. */
function parseFields(text: string): Record<string, unknown> {
  if (text.length > MOST_CHARACTERS) {
    throw new FieldError('The fault', 'must have at most 1,000 characters.');
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals < 0 ? undefined : equals).trim();
    const value = equals < 0 ? undefined : part.slice(equals + 1).trim();
    if (name === '') {
      throw new FieldError('The fault', 'must be fields with commas between: latency=200,reset.');
    }
    if (name in fields) throw new FieldError(name, 'is given twice.');
    fields[name] = toValue(name, value);
  }
  return fields;
}

function toValue(name: string, text: string | undefined): unknown {
  if (text === undefined) return true;
  if (name === 'latency') return toLatency(text);
  if (name === 'reset') return text === 'true' ? true : { after: toNumber(text) };
  if (name === 'expiredToken') return text === 'true' ? true : text;
  return toNumber(text) ?? text;
}

/** What is no latency stays a text, for the judge to name it. */
function toLatency(text: string): unknown {
  const [from = '', to, ...more] = text.split(/\.\.|~/);
  const [first, second] = [toMilliseconds(from), toMilliseconds(to)];
  if (to === undefined) return first ?? text;
  if (first === undefined || second === undefined || more.length > 0) return text;
  return text.includes('~') ? { mean: first, deviation: second } : { min: first, max: second };
}

function toNumber(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

const FIELDS = ['match', 'share', 'times', 'fault'];

/** Names stand in paths and in the log. */
const NAME = /^[^\p{Cc}]{1,100}$/u;

/**
 * Reads a rule that came from outside. Its `fault` is an object or the compact form.
 *
 * @param value with or without its `name`
 * @param place what its fields are called by, with a point at the end; empty for `match`
 * @throws FieldError that names the field and what it must be
 */
export function toFaultRule(name: string, value: unknown, place = ''): FaultRule {
  if (!NAME.test(name)) {
    throw new FieldError(
      `${place}name`,
      'must be 1 to 100 characters, none of them a control character.',
    );
  }
  if (!isObject(value)) {
    throw new FieldError('The body', 'must be a rule, such as { "fault": { "latency": 200 } }.');
  }
  const { name: given = name, match, share, times, fault, ...others } = value;
  if (given !== name) throw new FieldError(`${place}name`, `must be ${name}, as the path says.`);
  for (const other of Object.keys(others)) throw toUnknown(place + other, other, FIELDS);
  if (share !== undefined && !isShare(share)) {
    throw new FieldError(`${place}share`, 'must be a number from 0 to 1.');
  }
  if (times !== undefined && !isTimes(times)) {
    throw new FieldError(`${place}times`, 'must be a whole number of at least 1.');
  }
  const read = toFaultOf(fault, `${place}fault`);
  if (match !== undefined) assertMatch(match, read, place);
  return {
    name,
    ...(match !== undefined && { match: match as string }),
    ...(share !== undefined && { share: share as number }),
    ...(times !== undefined && { times: times as number }),
    fault: read,
  };
}

function toFaultOf(fault: unknown, place: string): Fault {
  return typeof fault === 'string' ? parseFault(fault, place) : toFault(fault, place);
}

type Readers = { readonly [Field in keyof Fault]-?: (value: unknown) => Fault[Field] | undefined };

/** Nobody waits longer: one hour. */
const MOST_MILLISECONDS = 3_600_000;

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

export const FAULT_FIELDS = Object.keys(READERS) as readonly (keyof Fault)[];

/**
 * Reads a fault that came from outside.
 *
 * @param place what its fields are called by: `fault` for `fault.latency`; empty for `latency`
 * @throws FieldError that names the field and what it must be
 */
function toFault(value: unknown, place: string): Fault {
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

function assertMatch(match: unknown, { code }: Fault, place: string): void {
  const surface = surfaceOf(match);
  if (surface === undefined) {
    const known = [...SURFACES, ...operations().keys()];
    const near = typeof match === 'string' ? nearest(match, known) : undefined;
    throw new FieldError(
      `${place}match`,
      `must be an operationId, one of ${SURFACES.join(', ')}, or service:<name>.${near === undefined ? '' : ` Do you mean ${near}?`}`,
    );
  }
  if (code !== undefined && !CODES[surface].includes(code)) {
    const has = CODES[surface].join(', ');
    throw new FieldError(`${place}fault.code`, `must be one that ${String(match)} has: ${has}.`);
  }
}

/** The surface of what a `match` names; undefined where it names nothing. */
function surfaceOf(match: unknown): SurfaceName | undefined {
  if (typeof match !== 'string') return undefined;
  if (match.startsWith(SERVICE) && match.length > SERVICE.length) return 'gateway';
  return SURFACES.find((surface) => surface === match) ?? operations().get(match);
}

function operations(): ReadonlyMap<string, SurfaceName> {
  return new Map(
    listOperations(documents).map(({ id, document, path }) => [
      id,
      path === '/' ? 'upload' : document,
    ]),
  );
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isTimes(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * Reads the compact form of a fault, as the header `X-Mock-Fault` has it.
 *
 * @throws FieldError that names the field and what it must be
 * @example
 * parseFault('latency=100..300,code=SERVICE_TIMEOUT');
 * // { latency: { min: 100, max: 300 }, code: 'SERVICE_TIMEOUT' }
 */
export function parseFault(text: string, place = ''): Fault {
  return toFault(parseFields(text), place);
}

/** A field that there is not, and the one that may be meant. */
export function toUnknown(field: string, name: string, known: readonly string[]): FieldError {
  const near = nearest(name, known);
  const hint = near === undefined ? `there are ${known.join(', ')}` : `do you mean ${near}?`;
  return new FieldError(field, `is no field: ${hint}${near === undefined ? '.' : ''}`);
}

/**
 * Holds a fault of one call against what one call can have.
 *
 * @throws FieldError for a code of another surface, and for `callsPerSecond`
 */
export function toHeaderFault(fault: Fault, { surface }: FaultSubject): Fault {
  const { code, callsPerSecond } = fault;
  if (code !== undefined && !CODES[surface].includes(code)) {
    throw new FieldError('code', `must be one that ${surface} has: ${CODES[surface].join(', ')}.`);
  }
  if (callsPerSecond !== undefined) {
    throw new FieldError('callsPerSecond', 'counts calls: make a rule, by --fault or the API.');
  }
  return fault;
}
