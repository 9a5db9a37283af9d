import { operations } from '../contract/contract.ts';
import type { SurfaceName } from '../contract/surface.ts';
import { FieldError, isObject, suggest } from '../util/values.ts';
import {
  ALL_CODES,
  CODES,
  FAULT_FIELDS,
  FAULT_KINDS,
  type Fault,
  type FaultRule,
  type FaultSubject,
  SERVICE,
  SURFACES,
  toNumber,
} from './fault.ts';

/**
 * Parses the value of `--fault`: `<match>:<compact>`, or just the compact form to match every call. The
 * compact form also supports `times` here.
 *
 * @throws FieldError that names the field and states its requirements
 * @example
 * parseFaultFlag('fault-1', 'service:hello:latency=200,times=2');
 * // { name: 'fault-1', match: 'service:hello', times: 2, fault: { latency: 200 } }
 */
export function parseFaultFlag(name: string, flag: string): FaultRule {
  // `service:<name>` contains a colon; the compact form never does.
  const colon = flag.lastIndexOf(':');
  const match = colon < 0 ? undefined : flag.slice(0, colon);
  const { times, ...fault } = parseFields(flag.slice(colon + 1));
  return toFaultRule(name, { match, times, fault });
}

/**
 * Parses the compact form of a fault, as used in the `X-Mock-Fault` header.
 *
 * @throws FieldError that names the field and states its requirements
 * @example
 * parseFault('latency=100,code=SERVICE_TIMEOUT');
 * // { latency: 100, code: 'SERVICE_TIMEOUT' }
 */
export function parseFault(text: string, place = ''): Fault {
  return toFault(parseFields(text), place);
}

/**
 * Parses the fault in a request header.
 *
 * @throws FieldError if the fault is invalid or has another surface's code
 */
export function parseHeaderFault(text: string, { surface }: FaultSubject): Fault {
  const fault = parseFault(text);
  assertCode(fault, surface, surface, 'code');
  return fault;
}

/** Far more than all fields together need. */
const MAX_CHARACTERS = 1_000;

/** Parses the fields of the compact form without validating them: `latency=100,reset`. */
function parseFields(text: string): Record<string, unknown> {
  if (text.length > MAX_CHARACTERS) {
    throw new FieldError('The fault', 'must have at most 1,000 characters.');
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals < 0 ? undefined : equals).trim();
    if (name === '') {
      throw new FieldError(
        'The fault',
        'must be a comma-separated list of fields, such as latency=200,reset.',
      );
    }
    if (name in fields) throw new FieldError(name, 'appears twice.');
    fields[name] = equals < 0 ? true : parseValue(name, part.slice(equals + 1).trim());
  }
  return fields;
}

function parseValue(name: string, text: string): unknown {
  const parse = isFaultField(name) ? FAULT_KINDS[name].parse : toNumber;
  return parse(text);
}

function isFaultField(name: string): name is keyof Fault {
  return Object.hasOwn(FAULT_KINDS, name);
}

const FIELDS = ['match', 'times', 'fault'];

/** Names are used in paths and in the log. */
const NAME = /^[^\p{Cc}]{1,100}$/u;

/**
 * Parses a rule from user input. Its `fault` is an object or the compact form.
 *
 * @param value with or without its `name`
 * @param place prefix of field names in messages, ending with a dot, or empty for names without a prefix
 * @throws FieldError that names the field and states its requirements
 */
export function toFaultRule(name: string, value: unknown, place = ''): FaultRule {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new FieldError(
      `${place}name`,
      'must have 1 to 100 characters and no control characters.',
    );
  }
  if (!isObject(value)) {
    throw new FieldError('The body', 'must be a rule, such as { "fault": { "latency": 200 } }.');
  }
  const { name: given = name, match, times, fault: givenFault, ...others } = value;
  if (given !== name) {
    throw new FieldError(`${place}name`, `must be ${name}, the name in the path.`);
  }
  for (const other of Object.keys(others)) throw toUnknown(place + other, other, FIELDS);
  if (times !== undefined && !(Number.isSafeInteger(times) && (times as number) >= 1)) {
    throw new FieldError(`${place}times`, 'must be a positive integer.');
  }
  const fault =
    typeof givenFault === 'string'
      ? parseFault(givenFault, `${place}fault`)
      : toFault(givenFault, `${place}fault`);
  if (match !== undefined) assertMatch(match, fault, place);
  const optional = Object.entries({ match, times }).filter(([, one]) => one !== undefined);
  return { name, ...Object.fromEntries(optional), fault };
}

/**
 * Parses a fault from user input.
 *
 * @param place prefix of its fields in messages: `fault` for `fault.latency`; empty for `latency`
 */
function toFault(value: unknown, place: string): Fault {
  if (!isObject(value)) {
    throw new FieldError(place || 'The fault', 'must be an object, such as { "latency": 200 }.');
  }
  const entries = Object.entries(value).filter(([, given]) => given !== undefined);
  if (entries.length === 0) {
    throw new FieldError(
      place || 'The fault',
      `must contain at least one of ${FAULT_FIELDS.join(', ')}.`,
    );
  }
  for (const [name, given] of entries) {
    const field = place === '' ? name : `${place}.${name}`;
    if (!isFaultField(name)) throw toUnknown(field, name, FAULT_FIELDS);
    const { isValid, mustBe } = FAULT_KINDS[name];
    if (isValid(given)) continue;
    throw new FieldError(field, mustBe + (name === 'code' ? suggest(given, ALL_CODES) : ''));
  }
  return Object.fromEntries(entries);
}

function assertMatch(match: unknown, fault: Fault, place: string): void {
  const surface = surfaceOf(match);
  if (surface === undefined) {
    const known = [...SURFACES, ...operations.map(({ id }) => id)];
    throw new FieldError(
      `${place}match`,
      `must be an operationId, one of ${SURFACES.join(', ')}, or service:<name>.${suggest(match, known)}`,
    );
  }
  assertCode(fault, surface, String(match), `${place}fault.code`);
}

/** Returns the surface that a `match` refers to; undefined if it matches nothing. */
function surfaceOf(match: unknown): SurfaceName | undefined {
  if (typeof match !== 'string') return undefined;
  if (match.startsWith(SERVICE) && match.length > SERVICE.length) return 'gateway';
  return (
    SURFACES.find((surface) => surface === match) ??
    operations.find(({ id }) => id === match)?.surface
  );
}

function assertCode({ code }: Fault, surface: SurfaceName, subject: string, field: string): void {
  if (code === undefined || CODES[surface].includes(code)) return;
  throw new FieldError(field, `must be an error code of ${subject}: ${CODES[surface].join(', ')}.`);
}

export function toUnknown(field: string, name: string, known: readonly string[]): FieldError {
  const hint = suggest(name, known, ' do you mean', ` the fields are ${known.join(', ')}.`);
  return new FieldError(field, `is not a field:${hint}`);
}
