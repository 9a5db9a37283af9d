import { documents } from '../contract/documents.ts';
import { listOperations } from '../contract/operations.ts';
import { FieldError } from '../field-error.ts';
import { isObject } from '../is-object.ts';
import { nearest } from '../nearest.ts';
import type { SurfaceName } from '../surface-name.ts';
import { CODES, SURFACES } from './codes.ts';
import type { Fault, FaultRule } from './fault.ts';
import { SERVICE } from './is-for.ts';
import { parseFault } from './parse-fault.ts';
import { toFault, toUnknown } from './to-fault.ts';

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
