/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isInteger(value: unknown, min: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

/** Accepts a number, or decimal digits. Returns undefined if the value is not an integer from `min` to `max`. */
export function toInteger(value: unknown, min: number, max = Infinity): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return isInteger(number, min) && number <= max ? number : undefined;
}

export class FieldError extends TypeError {
  override readonly name = 'FieldError';

  /** @param rest rest of a sentence that begins with the field: `must be an integer.` */
  constructor(field: string, rest: string) {
    super(`${field} ${rest}`);
  }
}
