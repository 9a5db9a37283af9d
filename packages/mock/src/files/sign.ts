import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs a list of values, in hex. */
export type Sign = (values: readonly (string | number)[]) => string;

/**
 * HMAC-SHA256 over lists of values.
 *
 * @param session its grants and links are those of no other
 */
export function createSign(secret: Buffer, session: string): Sign {
  return (values) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([session, ...values]))
      .digest('hex');
}

/** Compares two signatures in constant time. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
