import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { assertNames, namesOf } from '../runtime/portable/user-input.ts';
import { type Credential, createTc3Signer } from './tc3.ts';

/** The key pairs of all environments. */
export type KeyPairs = ReturnType<typeof createKeyPairs>;

/** A credential that does not expose its secrets. */
export type KeyPair = ReturnType<typeof createKeyPair>;

const CREDENTIAL_NAMES = namesOf<Credential>({
  id: true,
  secret: true,
  token: true,
  expires: true,
});

/** For unknown IDs. It has no environment. */
const UNKNOWN_PAIR = createKeyPair(undefined, { id: '', secret: randomBytes(32).toString('hex') });

/**
 * Creates the key pairs of all environments from their credentials.
 *
 * @throws TypeError if a credential is invalid
 *
 * @example
 * const pairs = createKeyPairs({ dev: { credentials: [{ id: 'me', secret: process.env.SECRET ?? '' }] } });
 */
export function createKeyPairs(
  environments: Readonly<
    Record<string, { readonly credentials?: readonly Credential[] | undefined }>
  >,
) {
  const byId = new Map<string, Map<string, KeyPair>>();
  for (const [env, { credentials = [] }] of Object.entries(environments)) {
    for (const credential of credentials) {
      const { id } = credential;
      assertNames('credential', credential, CREDENTIAL_NAMES);
      const pairs = byId.get(id) ?? new Map<string, KeyPair>();
      const problem = pairs.has(env) ? 'is listed twice' : findCredentialProblem(credential);
      if (problem !== undefined) {
        throw new TypeError(`Credential ${JSON.stringify(id)} in environment ${env} ${problem}.`);
      }
      byId.set(id, pairs.set(env, createKeyPair(env, credential)));
    }
  }
  return {
    /** Returns the environment's key pair, or else a different one, so that the response time reveals nothing. */
    find(id: string, env: string): KeyPair {
      const pairs = byId.get(id);
      return pairs?.get(env) ?? pairs?.values().next().value ?? UNKNOWN_PAIR;
    },
    /** Whether an environment of this name exists, even without key pairs. */
    hasEnv: (env: string) => Object.hasOwn(environments, env),
  };
}

function findCredentialProblem({ id, secret, token }: Credential): string | undefined {
  // An environment variable that is not set would otherwise be the secret `undefined`.
  if (typeof id !== 'string' || !/^[!-+\--.0-~]{1,256}$/.test(id)) {
    return 'must have an `id` of 1 to 256 characters, without slashes, commas or spaces';
  }
  if (typeof secret !== 'string' || secret === '') return 'must have a `secret` that is not empty';
  if (token === undefined || /^[!-+\--~]+$/.test(token)) return undefined;
  return 'has a token with characters that a header cannot contain';
}

function createKeyPair(env: string | undefined, credential: Credential) {
  const { secret, token, expires } = credential;
  const end = expires?.getTime() ?? Number.POSITIVE_INFINITY;
  return {
    env,
    sign: createTc3Signer(secret),
    /** D17: permanent credentials have no token to compare with. */
    isUsable: (sent: string, now: number) =>
      (token === undefined || isSameSecret(token, sent)) && now < end,
  };
}

/** Compares in constant time, except for the length of the sent value. */
function isSameSecret(expected: string, sent: string): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', sent, 'buffer'));
}
