import { FieldError } from '../field-error.ts';
import { toMilliseconds } from '../to-milliseconds.ts';
import type { Fault } from './fault.ts';
import { toFault } from './to-fault.ts';

/** Far more than all fields need. */
const MOST_CHARACTERS = 1_000;

/** The fields of a compact text, not judged yet: `latency=100..300,reset`. */
export function parseFields(text: string): Record<string, unknown> {
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
