import { GatewayError } from '@berth/server-stubs';
import { errors } from 'jose';
import { InvalidToken } from './invalid-token.ts';
import { KeysUnavailable } from './key-source.ts';
import { claimMessage } from './to-caller.ts';

/** Why a token is refused. It carries no cause, for errors of `jose` hold what the token says. */
export function toRefusal(error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof KeysUnavailable) {
    const message = 'The keys that access tokens are verified with cannot be had at the moment.';
    return new GatewayError('SYS_ERR', { message, retryAfter: 1 });
  }
  return new GatewayError('ACCESS_TOKEN_INVALID', messageOf(error));
}

function messageOf(error: unknown): { message?: string } {
  if (error instanceof InvalidToken) return { message: error.message };
  // The claims are read after the signature: only who had a good token learns which one is wrong.
  if (error instanceof errors.JWTClaimValidationFailed)
    return { message: claimMessage(error.claim) };
  return {};
}
