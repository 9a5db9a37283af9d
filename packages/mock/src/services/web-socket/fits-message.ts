import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../is-object.ts';

const ANY = '*';

/** Whether a message is the one that a step expects. */
export function fitsMessage(message: string | Uint8Array, expected: unknown): boolean {
  if (expected === ANY || message === expected) return true;
  if (typeof expected === 'string' || typeof message !== 'string') return false;
  try {
    return includes(JSON.parse(message), expected);
  } catch {
    return false;
  }
}

/** Objects may have more fields than expected; anything else is equal. */
function includes(value: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return isDeepStrictEqual(value, expected);
  return (
    isObject(value) &&
    Object.entries(expected).every(
      ([name, field]) => Object.hasOwn(value, name) && includes(value[name], field),
    )
  );
}
