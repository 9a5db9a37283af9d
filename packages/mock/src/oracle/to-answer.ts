import type { Answer } from '../http/answer.ts';
import { mediaTypeOf } from '../http/media-type.ts';
import type { Documented } from './create-oracle.ts';

/**
 * Writes out a documented answer.
 *
 * @param adapt changes the body before it is written, for values that belong to the call
 */
export function toAnswer(
  { status, headers, body }: Documented,
  adapt: (body: unknown) => unknown,
): Answer {
  const known = Object.entries(headers).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const named = Object.fromEntries(
    known.map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const isText = mediaTypeOf(named['content-type'] ?? '') !== 'application/json';
  const value = adapt(body);
  if (value === undefined) return { status, headers: named };
  return {
    status,
    headers: named,
    body: isText && typeof value === 'string' ? value : JSON.stringify(value),
  };
}
