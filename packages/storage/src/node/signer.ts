import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../options.ts';

/** A key shorter than half the hash's output is weak (RFC 2104, section 3). */
const MIN_KEY_BYTES = 16;

/**
 * Creates a signer for grants and links, using HMAC-SHA256.
 *
 * @param keys secrets of at least 16 bytes, the same in all processes. The first key signs, and all verify. To rotate,
 *   put a new key first, and remove the old one once what it signed has expired (`limits.linkMaxSeconds`).
 * @throws TypeError if there is no key, or if a key is too short
 */
export function createSigner(keys: readonly Uint8Array[]) {
  const [first] = keys;
  if (first === undefined || keys.some(({ length }) => length < MIN_KEY_BYTES)) {
    throw new TypeError(
      `keys must contain at least one secret, and each secret must have at least ${MIN_KEY_BYTES} bytes.`,
    );
  }
  // As JSON, no two lists have the same text, whatever characters they contain.
  const hmac = (key: Uint8Array, values: readonly string[]) =>
    createHmac('sha256', key).update(JSON.stringify(values));
  return {
    sign: (values: readonly string[]) => hmac(first, values).digest('hex'),
    verify(values: readonly string[], signature: string) {
      if (!/^[0-9a-f]{64}$/.test(signature)) return false;
      const bytes = Buffer.from(signature, 'hex');
      return keys.some((key) => timingSafeEqual(hmac(key, values).digest(), bytes));
    },
  } satisfies Signer;
}
