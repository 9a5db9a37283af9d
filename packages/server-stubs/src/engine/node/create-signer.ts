import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../signing.ts';

/** A key shorter than half of the hash's output weakens it (RFC 2104, section 3). */
const MIN_KEY_BYTES = 16;

/**
 * Creates the signer of grants and links: HMAC-SHA256.
 *
 * @param keys secrets of at least 16 bytes. The first signs and all verify: put a new one first, and
 *   remove the old one when what it signed has expired (`limits.linkMaxSeconds`). All processes of a
 *   deployment need the same keys.
 * @throws TypeError if there is no key, or one is too short
 */
export function createSigner(keys: readonly Uint8Array[]) {
  const [first] = keys;
  if (first === undefined || keys.some(({ length }) => length < MIN_KEY_BYTES)) {
    throw new TypeError(
      `keys: give at least one secret, and at least ${MIN_KEY_BYTES} bytes each.`,
    );
  }
  // As JSON, no two lists have the same text, whatever characters they contain.
  const hmac = (key: Uint8Array, values: readonly string[]) =>
    createHmac('sha256', key).update(JSON.stringify(values));
  return {
    sign: (values: readonly string[]) => hmac(first, values).digest('hex'),
    verify(values: readonly string[], signature: string) {
      if (!/^[0-9a-f]{64}$/.test(signature)) return false;
      const given = Buffer.from(signature, 'hex');
      return keys.some((key) => timingSafeEqual(hmac(key, values).digest(), given));
    },
  } satisfies Signer;
}
