import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA256 over a list of values, in hex. */
export function sign(secret: Buffer, values: readonly (string | number)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(values)).digest('hex');
}

/** Compares two signatures in constant time. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
