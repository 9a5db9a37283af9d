/** What is wrong with values from users, and how messages say it. */
import { closest, distance } from 'fastest-levenshtein';

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Words that differ in more than this fraction of their letters are not similar. */
const MAX_DIFFERENCE = 0.4;

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
  const isNear = distance(word, found) <= Math.max(word.length, found.length) * MAX_DIFFERENCE;
  return isNear ? `${question} ${found}?` : otherwise;
}

/** Thrown for an invalid value in user input. The message names the field and describes valid values. */
export class FieldError extends TypeError {
  override readonly name = 'FieldError';

  /**
   * @param field path of the value, such as `fault.latency`
   * @param rest rest of a sentence that begins with the field: `must be an integer.`
   */
  constructor(field: string, rest: string) {
    super(`${field} ${rest}`);
  }
}

export function toUnknown(name: string, known: readonly string[]): FieldError {
  const hint = suggest(name, known, ' do you mean', ` the fields are ${known.join(', ')}.`);
  return new FieldError(name, `is not a field:${hint}`);
}
