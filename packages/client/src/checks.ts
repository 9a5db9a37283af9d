import { type BerthError, optionsError } from './errors.ts';

/** Creates the error for an invalid argument. Never quotes text, which may be secret. */
export function invalid(name: string, expected: string, value: unknown): BerthError {
  const actual = value === null || typeof value === 'number' ? value : typeof value;
  return optionsError(`${name} must be ${expected}, got ${actual}.`);
}

export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(name, 'a string', value);
}

export function checkNotEmpty(name: string, value: unknown): asserts value is string {
  checkText(name, value);
  if (!value) throw optionsError(`${name} must not be empty.`);
}

export function checkNumber(
  name: string,
  value: number | undefined,
  min: number,
  type: 'a number' | 'an integer' = 'a number',
): void {
  const isValid = type === 'a number' ? typeof value === 'number' : Number.isSafeInteger(value);
  if (value === undefined || (isValid && value >= min)) return;
  throw invalid(name, `${type} of at least ${min}`, value);
}

/** Returns the name of a value's type, such as `Blob`. */
export function typeTag(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
