import { createPublicKey } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';

/** A type alias, so that it is assignable to a type with an index signature. */
export type KeySet = { keys: Record<string, unknown>[] };

/** The accepted algorithms. The list is fixed, so that the caller cannot choose `none` or HMAC (D19). */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** Members that only private keys have (RFC 7518, section 6). */
const SECRETS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** RFC 7518, section 3.3: "A key of size 2048 bits or larger MUST be used". */
const MIN_RSA_BITS = 2048;

/**
 * Returns why a value is not a set of public keys, as the end of a sentence. It does not quote the value.
 * @param isConfigured whether a broken key is a mistake. At a URL, it is ignored (RFC 7517, section 5)
 */
export function findKeyProblem(value: unknown, isConfigured = true): string | undefined {
  const keys = (value as Partial<JSONWebKeySet> | null)?.keys;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'object' && key !== null)) {
    return 'must be an object with a list of keys (RFC 7517)';
  }
  if (keys.some((key) => key.kty !== 'oct' && SECRETS.some((name) => Object.hasOwn(key, name)))) {
    return 'must contain only public keys, but it contains a private key';
  }
  const states = keys.map(stateOf);
  if (!states.includes('usable')) return `has no usable key for ${ALGORITHMS.join(', ')}`;
  const broken = states.indexOf('broken');
  return isConfigured && broken >= 0 ? `has a key that cannot be read: keys[${broken}]` : undefined;
}

/** Returns the keys that `jose` can import: tokens that name another must be rejected, not reported as an internal error. */
export function toUsable({ keys }: KeySet): JSONWebKeySet {
  return { keys: keys.filter((key) => stateOf(key) === 'usable') as JWK[] };
}

function stateOf(key: KeySet['keys'][number]): 'usable' | 'unsupported' | 'broken' {
  const { kty, crv, alg } = key;
  if (alg !== undefined && !ALGORITHMS.includes(String(alg))) return 'unsupported';
  try {
    const { asymmetricKeyDetails = {} } = createPublicKey({ key, format: 'jwk' });
    const { modulusLength = 0, namedCurve } = asymmetricKeyDetails;
    const isUsable =
      modulusLength >= MIN_RSA_BITS || namedCurve === 'prime256v1' || crv === 'Ed25519';
    return isUsable ? 'usable' : 'unsupported';
  } catch {
    const isSupported = kty === 'RSA' || crv === 'P-256' || crv === 'Ed25519';
    return isSupported ? 'broken' : 'unsupported';
  }
}
