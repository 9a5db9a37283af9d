import { closest, distance } from 'fastest-levenshtein';

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Decodes percent-encoding; returns the text unchanged if it is invalid. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the keys in a JSON Pointer (RFC 6901). */
export function toKeys(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Words that differ in more than this fraction of their letters are not similar. */
const MOST_OFF = 0.4;

/**
 * Returns a hint for a misspelled word: ` Do you mean latency?`
 *
 * @param otherwise returned if no known word is similar
 */
export function suggest(
  word: unknown,
  known: readonly string[],
  question = ' Do you mean',
  otherwise = '',
): string {
  if (typeof word !== 'string' || known.length === 0 || word.length > 100) return otherwise;
  const found = closest(word, known);
  const isNear = distance(word, found) <= Math.max(word.length, found.length) * MOST_OFF;
  return isNear ? `${question} ${found}?` : otherwise;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration: a number of milliseconds, or a string such as `250ms`, `5s`, `2m`, `1h` or `1d`. Returns
 * milliseconds.
 *
 * @returns undefined if the value is not a duration
 */
export function toMilliseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const [, amount, unit = 'ms'] = /^(\d{1,15}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] as number);
}

/**
 * Thrown for an invalid value in user input. It contains the name of the field, and a description of valid
 * values.
 */
export class FieldError extends TypeError {
  override readonly name = 'FieldError';
  /** Path of the value, such as `fault.latency`. */
  readonly field: string;

  /** @param rest rest of a sentence that begins with the field: `must be a whole number.` */
  constructor(field: string, rest: string) {
    super(`${field} ${rest}`);
    this.field = field;
  }
}

/** @param known the fields that exist */
export function toUnknown(field: string, name: string, known: readonly string[]): FieldError {
  const hint = suggest(name, known, ' do you mean', ` the fields are ${known.join(', ')}.`);
  return new FieldError(field, `is not a field:${hint}`);
}
