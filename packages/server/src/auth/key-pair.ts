import { randomBytes } from 'node:crypto';
import type { Credential } from './auth-environment.ts';
import { isSameSecret } from './is-same-secret.ts';
import { createSigner, type Signer } from './tc3/signing-key.ts';

/** A credential that keeps its secrets to itself. */
export interface KeyPair {
  /** Undefined for the one that stands in for an unknown id. */
  readonly env: string | undefined;
  readonly sign: Signer;
  /** Whether the session token is the right one, and the credential has not expired. */
  isUsable(token: string, now: number): boolean;
}

export function createKeyPair(env: string | undefined, credential: Credential): KeyPair {
  const { secret, token = '', expires } = credential;
  const end = expires?.getTime() ?? Number.POSITIVE_INFINITY;
  return {
    env,
    sign: createSigner(secret),
    isUsable: (given, now) => isSameSecret(token, given) && now < end,
  };
}

/** What an unknown id is compared against, so that the time of a refusal tells nothing. */
export const NOBODY: KeyPair = createKeyPair(undefined, {
  id: '',
  secret: randomBytes(32).toString('hex'),
});
