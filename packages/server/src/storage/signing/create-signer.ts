import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature is for. One for the one purpose never fits the other. */
type Purpose = 'berth upload grant' | 'berth download link';

/** Signs lists of values, so that nothing has to be kept to know them again. */
export interface Signer {
  /** HMAC-SHA256 in hex, by the first key. */
  sign(values: readonly string[]): string;
  /** Whether one of the keys signed these values; in constant time for each key. */
  verify(values: readonly string[], signature: string): boolean;
}

/**
 * Makes the signer of one purpose.
 *
 * @param keys secrets: the first signs and all verify, so that keys can be rotated without a gap
 * @throws TypeError without a key, or for one that could be guessed
 */
export function createSigner(purpose: Purpose, keys: readonly Buffer[]): Signer {
  const [first] = keys;
  if (first === undefined || keys.some(({ length }) => length < MIN_KEY_BYTES)) {
    throw new TypeError(
      `keys: give at least one secret, and at least ${MIN_KEY_BYTES} bytes each.`,
    );
  }
  // As JSON, no two lists have the same text, whatever characters the values have.
  const digest = (key: Buffer, values: readonly string[]) =>
    createHmac('sha256', key).update(JSON.stringify([purpose, ...values]));
  return {
    sign: (values) => digest(first, values).digest('hex'),
    verify(values, signature) {
      if (!/^[0-9a-f]{64}$/.test(signature)) return false;
      const given = Buffer.from(signature, 'hex');
      return keys.some((key) => timingSafeEqual(digest(key, values).digest(), given));
    },
  };
}

/** A key shorter than half of the hash's output weakens it (RFC 2104, section 3). */
const MIN_KEY_BYTES = 16;
