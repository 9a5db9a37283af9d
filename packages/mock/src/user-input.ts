/** Checks of what users pass. Also runs in browsers: must not import Node modules. */

import { closest, distance } from 'fastest-levenshtein';

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value has members by name, unlike a Map or a URL. Test runners have classes of their own. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return /^\[object (Object|Module)\]$/.test(Object.prototype.toString.call(value));
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isInteger(value: unknown, min: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

/** Accepts a number, or decimal digits. Returns undefined if the value is not an integer from `min` to `max`. */
export function toInteger(value: unknown, min: number, max = Infinity): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return isInteger(number, min) && number <= max ? number : undefined;
}

/** Returns a sentence, after a space, with the name that a user may have meant, or with all names; '' without any. */
export function suggest(name: string, names: readonly string[], kind: string): string {
  if (names.length === 0) return '';
  const similar = closest(name, names);
  const isSimilar = distance(name, similar) < name.length / 2;
  return isSimilar ? ` Did you mean ${similar}?` : ` The ${kind}: ${names.join(', ')}.`;
}

/** An invalid value from a user. Its message is a sentence that begins with the field. */
export class FieldError extends TypeError {
  override readonly name = 'FieldError';
  readonly field: string;

  /** @param predicate the rest of the sentence, including its period: `must be an integer.` */
  constructor(field: string, predicate: string, options?: ErrorOptions) {
    super(`${field} ${predicate}`, options);
    this.field = field;
  }
}

/** What the value of an option must be. Callers in JavaScript can pass anything. */
export interface OptionRule {
  readonly isValid: (value: unknown) => boolean;
  /** The end of a sentence without its period: `an integer from 0 to 65535`. */
  readonly requirement: string;
}

/** The name of an environment, which is the first label of the gateway's host name. */
export const ENVIRONMENT: OptionRule = {
  isValid: (value) => isText(value) && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value),
  requirement: "a host name label of letters, digits and hyphens, such as 'dev'",
};

/** @throws FieldError that names an option that is unknown or invalid */
export function assertOptions(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, name)) {
      const hint = suggest(name, Object.keys(rules), 'options');
      throw new FieldError(name, `is not an option.${hint}`);
    }
    const { isValid, requirement } = rules[name] as OptionRule;
    if (!isValid(value)) throw new FieldError(name, `must be ${requirement}, got ${quote(value)}.`);
  }
}

function quote(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 100)}'`;
  return isRecord(value) ? 'an object' : String(value).slice(0, 100);
}
