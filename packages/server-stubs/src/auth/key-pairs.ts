import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createSigner, type Signer } from './tc3.ts';

/** A key pair that signs calls (D16, D17). */
export interface Credential {
  /** Sent with each call. Visible ASCII without `/`, `,` and spaces. */
  readonly id: string;
  /** Shared with the caller, but never sent. */
  readonly secret: string;
  /**
   * Session token of temporary credentials, which every call must then send. Default: none, and whatever a
   * call sends is ignored.
   */
  readonly token?: string | undefined;
  /** When the credentials expire. Default: never. */
  readonly expires?: Date | undefined;
}

/** A credential that does not expose its secrets. */
export interface KeyPair {
  /** `undefined` in the placeholder for unknown IDs. */
  readonly env: string | undefined;
  readonly sign: Signer;
  /** Whether the credential has not expired and the session token is correct, if it has one. */
  isUsable(token: string, now: number): boolean;
}

/** Placeholder for unknown IDs, so that the response time reveals nothing. */
const NOBODY: KeyPair = createKeyPair(undefined, {
  id: '',
  secret: randomBytes(32).toString('hex'),
});

const ID = /^[!-+\--.0-~]{1,256}$/;

/** The key pairs of all environments. */
export interface KeyPairs {
  /**
   * Returns the environment's key pair. Otherwise returns one from another environment, or a placeholder
   * that never matches.
   */
  find(id: string, env: string): KeyPair;
}

/**
 * Creates the key pairs of all environments from their credentials.
 *
 * @throws TypeError if a credential is invalid
 */
export function createKeyPairs(
  environments: Readonly<
    Record<string, { readonly credentials?: readonly Credential[] | undefined }>
  >,
): KeyPairs {
  const byId = new Map<string, Map<string, KeyPair>>();
  for (const [env, { credentials = [] }] of Object.entries(environments)) {
    for (const credential of credentials) {
      const { id, secret, token } = credential;
      const name = `Credential ${JSON.stringify(id)} in environment ${env}`;
      if (!ID.test(id))
        throw new TypeError(`${name} must have an ID without slashes, commas or spaces.`);
      if (secret === '') throw new TypeError(`${name} has an empty secret.`);
      if (token !== undefined && !/^[!-+\--~]+$/.test(token)) {
        throw new TypeError(`${name} has a token with characters that a header cannot contain.`);
      }
      const pairs = byId.get(id) ?? new Map<string, KeyPair>();
      if (pairs.has(env)) throw new TypeError(`${name} is listed twice.`);
      byId.set(id, pairs.set(env, createKeyPair(env, credential)));
    }
  }
  return {
    find(id, env) {
      const pairs = byId.get(id);
      return pairs?.get(env) ?? pairs?.values().next().value ?? NOBODY;
    },
  };
}

function createKeyPair(env: string | undefined, credential: Credential): KeyPair {
  const { secret, token, expires } = credential;
  const end = expires?.getTime() ?? Number.POSITIVE_INFINITY;
  return {
    env,
    sign: createSigner(secret),
    // D17: permanent credentials have no token to compare with.
    isUsable: (given, now) => (token === undefined || isSameSecret(token, given)) && now < end,
  };
}

/** Compares in constant time, except for the length of the sent value. */
function isSameSecret(expected: string, given: string): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', given, 'buffer'));
}
