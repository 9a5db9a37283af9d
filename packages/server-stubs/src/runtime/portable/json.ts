/** Parses JSON that is safe to validate and to pass to handlers. Works in browsers. */
import { scan } from 'secure-json-parse';
import { invalidBody } from './http-error.ts';

const JSON_DEPTH = 64;

export function toJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidBody(`The JSON body cannot be read: ${(error as Error).message}.`);
  }
}

/** @throws SyntaxError if it is not JSON, is nested too deeply, or pollutes prototypes (CWE-1321) */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Validators and handlers may be recursive.
  if (isDeeper(value, JSON_DEPTH)) {
    throw new SyntaxError(`it is nested deeper than ${JSON_DEPTH} levels`);
  }
  // Text without these cannot contain a forbidden key. An escape may hide one.
  const isSuspect = ['__proto__', 'constructor', '\\u'].some((part) => text.includes(part));
  if (isSuspect && Object(value) === value && scan(value as object, { safe: true }) === null) {
    throw new SyntaxError('it contains the forbidden key __proto__ or constructor.prototype');
  }
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels === 0 || members.some((member) => isDeeper(member, levels - 1));
}
