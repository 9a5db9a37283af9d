/** A value from outside that is wrong: which one, and what it must be. */
export class FieldError extends TypeError {
  override readonly name = 'FieldError';
  /** Path of the value, such as `fault.latency`. */
  readonly field: string;

  /** @param rest of a sentence that begins with the field: `must be a whole number.` */
  constructor(field: string, rest: string) {
    super(`${field} ${rest}`);
    this.field = field;
  }
}
