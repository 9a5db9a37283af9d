/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isInteger(value: unknown, min: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

export class FieldError extends TypeError {
  override readonly name = 'FieldError';

  /** @param rest rest of a sentence that begins with the field: `must be an integer.` */
  constructor(field: string, rest: string) {
    super(`${field} ${rest}`);
  }
}

export function toUnknown(name: string, known: readonly string[]): FieldError {
  return new FieldError(name, `is not a field: the fields are ${known.join(', ')}.`);
}
