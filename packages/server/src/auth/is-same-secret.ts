import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that depends on neither text, save the length of what the caller sent. */
export function isSameSecret(expected: string, given: string): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', given, 'buffer'));
}
