import { hash } from 'node:crypto';
import type { GatewayLogin } from '@berth/server-stubs';
import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { LIMITS } from '@berth/server-stubs/contract';
import { errors, type JWTVerifyResult, jwtVerify } from 'jose';
import { ALGORITHMS } from '../config/key-set.ts';
import { type KeySource, KeysUnavailable } from './keys.ts';

/** RFC 7519, section 5.1, and RFC 9068, section 2.1. */
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

/** Longer tokens are rejected without being parsed; Node's own limit for all headers is 16 KiB. */
const MAX_LENGTH = 8192;

/** What decides which tokens an environment accepts. */
export interface Trust {
  readonly issuer: string | undefined;
  readonly keys: KeySource;
}

/**
 * Creates a function that authenticates callers by a token for the environment (D19). It is synchronous if
 * the token is cached.
 */
export function createBearer(trusts: ReadonlyMap<string, Trust>) {
  return (token: string, { env }: Pick<GatewayLogin, 'env'>): Caller | Promise<Caller> => {
    if (token.length > MAX_LENGTH) {
      throw invalid(`The access token exceeds ${MAX_LENGTH} characters.`);
    }
    const trust = trusts.get(env);
    if (trust === undefined) throw invalid('This environment does not accept access tokens.');
    const digest = hash('sha256', token, 'binary');
    const known = trust.keys.tokens.get(digest);
    return known && known.until > Date.now() ? known.caller : verify(token, digest, env, trust);
  };

  async function verify(token: string, digest: string, env: string, { issuer, keys }: Trust) {
    // If keys are withdrawn meanwhile, this cache is no longer in use.
    const { tokens } = keys;
    try {
      const verified = await jwtVerify(token, keys.find, {
        algorithms: ALGORITHMS,
        audience: env,
        requiredClaims: ['exp'],
        ...(issuer !== undefined && { issuer }),
      });
      const { exp = 0 } = verified.payload;
      const caller = toCaller(verified, env);
      const until = Math.min(exp * 1000, Date.now() + LIMITS.tokenCacheSeconds * 1000);
      tokens.set(digest, { caller, until });
      return caller;
    } catch (error) {
      throw toRefusal(error);
    }
  }
}

function invalid(message?: string): GatewayError {
  return new GatewayError('ACCESS_TOKEN_INVALID', message === undefined ? {} : { message });
}

/**
 * Returns the error for a rejected token. It has no cause, because `jose` errors contain claims of the token.
 * Any other error is a bug.
 */
function toRefusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof KeysUnavailable) {
    const message = 'The keys for verifying access tokens are currently unavailable.';
    return new GatewayError('SYS_ERR', { message, retryAfter: 1 });
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return invalid('The access token must name its key (kid), because several keys fit.');
  }
  // Claims are checked after the signature: only the holder of a valid token learns which claim is wrong.
  if (error instanceof errors.JWTClaimValidationFailed) return invalidClaim(error.claim);
  return error instanceof errors.JOSEError ? invalid() : error;
}

function invalidClaim(claim: string): GatewayError {
  return invalid(`The ${claim} claim of the access token is missing or invalid.`);
}

/**
 * Returns the caller that a verified token identifies.
 *
 * D15: a token belongs to one environment, so a token with another audience in addition is rejected.
 * @throws GatewayError ACCESS_TOKEN_INVALID
 */
function toCaller({ payload, protectedHeader }: JWTVerifyResult, env: string): Caller {
  const { aud, sub } = payload;
  const { typ } = protectedHeader;
  if (typ !== undefined && !TYPES.includes(String(typ).toLowerCase())) {
    throw invalid('The typ of the access token must be JWT or at+jwt.');
  }
  if (Array.isArray(aud) && aud.length > 1) throw invalidClaim('aud');
  if (typeof sub !== 'string' || sub === '') throw invalidClaim('sub');
  return { env, id: sub };
}
