import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Credential, createTc3Signer, type Tc3Signer } from './tc3.ts';

/** A credential that does not expose its secrets. */
export interface KeyPair {
  /** `undefined` in the placeholder for unknown IDs. */
  readonly env: string | undefined;
  readonly sign: Tc3Signer;
  /** Whether the credential has not expired and the session token is correct, if it has one. */
  isUsable(token: string, now: number): boolean;
}

/** The key pairs of all environments. */
export interface KeyPairs {
  /** Returns the environment's key pair, or else another one, so that the response time reveals nothing. */
  find(id: string, env: string): KeyPair;
  /** Whether an environment of this name exists, even without key pairs. */
  hasEnv(env: string): boolean;
}

const NOBODY = createKeyPair(undefined, { id: '', secret: randomBytes(32).toString('hex') });

/**
 * Creates the key pairs of all environments from their credentials.
 *
 * @throws TypeError if a credential is invalid
 *
 * @example
 * const pairs = createKeyPairs({ dev: { credentials: [{ id: 'me', secret: process.env.SECRET }] } });
 */
export function createKeyPairs(
  environments: Readonly<
    Record<string, { readonly credentials?: readonly Credential[] | undefined }>
  >,
): KeyPairs {
  const byId = new Map<string, Map<string, KeyPair>>();
  for (const [env, { credentials = [] }] of Object.entries(environments)) {
    for (const credential of credentials) {
      const { id } = credential;
      const pairs = byId.get(id) ?? new Map<string, KeyPair>();
      const problem = pairs.has(env) ? 'is listed twice' : findProblem(credential);
      if (problem !== undefined) {
        throw new TypeError(`Credential ${JSON.stringify(id)} in environment ${env} ${problem}.`);
      }
      byId.set(id, pairs.set(env, createKeyPair(env, credential)));
    }
  }
  return {
    find(id, env) {
      const pairs = byId.get(id);
      return pairs?.get(env) ?? pairs?.values().next().value ?? NOBODY;
    },
    hasEnv: (env) => Object.hasOwn(environments, env),
  };
}

function findProblem({ id, secret, token }: Credential): string | undefined {
  if (!/^[!-+\--.0-~]{1,256}$/.test(id)) return 'must have an ID without slashes, commas or spaces';
  if (secret === '') return 'has an empty secret';
  if (token === undefined || /^[!-+\--~]+$/.test(token)) return undefined;
  return 'has a token with characters that a header cannot contain';
}

function createKeyPair(env: string | undefined, credential: Credential): KeyPair {
  const { secret, token, expires } = credential;
  const end = expires?.getTime() ?? Number.POSITIVE_INFINITY;
  return {
    env,
    sign: createTc3Signer(secret),
    // D17: permanent credentials have no token to compare with.
    isUsable: (sent, now) => (token === undefined || isSameSecret(token, sent)) && now < end,
  };
}

/** Compares in constant time, except for the length of the sent value. */
function isSameSecret(expected: string, sent: string): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', sent, 'buffer'));
}
