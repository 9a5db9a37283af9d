import { GatewayError } from '@berth/server-stubs';
import type { Caller as SignedCaller } from '@berth/server-stubs/auth';

/** A caller whose credentials have been verified. */
export interface Caller {
  readonly kind: 'verified';
  /** Environment of both the credentials and the call. */
  readonly env: string;
  /** The `sub` claim of the token, or the ID of the key pair. */
  readonly id: string;
}

/** The alleged caller of a signed call with a body. The signature covers the body, which has not been read yet. */
export interface UnverifiedCaller extends Omit<Caller, 'kind'> {
  readonly kind: 'unverified';
  /**
   * Verifies the SHA-256 (hex) of the body.
   * @throws GatewayError INVALID_CREDENTIALS if the body was not signed, or the key pair has been revoked
   */
  readonly verify: (bodyHash: string) => Caller;
}

export const REVOKED = 'The key pair has been revoked.';

/**
 * Returns the caller of a signed call. Only callers that know the secret learn that a key pair was revoked: if there is
 * a body, not before it has been verified.
 * @throws GatewayError INVALID_CREDENTIALS if the key pair has been revoked
 */
export function toCaller(signed: SignedCaller, isRevoked: boolean): Caller | UnverifiedCaller {
  const { env, id, verifyBody } = signed;
  const toVerified = (): Caller => {
    if (isRevoked) throw new GatewayError('INVALID_CREDENTIALS', { message: REVOKED });
    return { kind: 'verified', env, id };
  };
  if (verifyBody === undefined) return toVerified();
  const verify = (bodyHash: string): Caller => {
    verifyBody(bodyHash);
    return toVerified();
  };
  return { kind: 'unverified', env, id, verify };
}
