import { hash } from 'node:crypto';
import {
  GatewayError,
  type GatewaySecurity,
  StorageError,
  type StorageSecurity,
  UploadError,
} from '@berth/server-stubs';
import {
  type Caller,
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import { LIMITS } from '@berth/server-stubs/contract';
import type { SignedUse, StorageCaller } from '@berth/storage';
import { errors, type JWTVerifyResult, jwtVerify } from 'jose';
import type { Config } from '../config/config.ts';
import { ALGORITHMS } from '../config/key-set.ts';
import type { Quotas } from '../quotas.ts';
import type { RedisState } from '../redis.ts';
import { type Issuer, type Issuers, KeysUnavailable } from './issuers.ts';

/** Creates the security handlers for both APIs (D15 to D19, D30). */
export function createAuthenticator(
  { environments, limits, signature }: Config,
  { issuers, quotas }: { issuers: Issuers; quotas: Quotas },
): { gateway: GatewaySecurity<Caller>; storage: StorageSecurity<StorageCaller> } {
  const common = {
    pairs: createKeyPairs(environments),
    service: signature.service,
    windowSeconds: limits.clockWindowSeconds,
  };
  const signingHost = signature.storageSigningHost;
  const storageSignature = createStorageSignature({ ...common, signingHost });
  return {
    gateway: {
      bearerToken: (token, { env }) => checkToken(token, env, issuers),
      // If the call has a body, `gateway/gateway.ts` verifies that.
      signature: createGatewaySignature(common),
    },
    storage: {
      async credentials(credentials, call) {
        const caller = await storageSignature.credentials(credentials, call);
        if (!caller) return caller;
        const retryAfter = await quotas.count(call.env);
        if (retryAfter !== undefined) throw new StorageError('EXCEED_RATELIMIT', { retryAfter });
        return caller;
      },
    },
  };
}

/**
 * Rejects uses of grants and links that were revoked, or whose key pair is no longer in the configuration. Checked once,
 * when the transfer starts: one in progress is not interrupted.
 */
export function createRevocations(initial: Config, redis: RedisState | undefined) {
  let { environments } = initial;
  return {
    update(next: Config): void {
      environments = next.environments;
    },
    async authorize({ kind, id, env, caller }: SignedUse): Promise<void> {
      const isKnown = environments[env]?.credentials.some((pair) => pair.id === caller);
      if (isKnown && !(await redis?.isRevoked(kind, id))) return;
      throw new UploadError('AccessDenied', { message: `The ${kind} has been revoked.` });
    },
  };
}

/** Longer tokens are rejected without being hashed, cached or parsed. */
const MAX_LENGTH = 8192;

/** Returns the caller that a token for the environment identifies (D19), synchronously if the token is cached. */
function checkToken(token: string, env: string, issuers: Issuers): Caller | Promise<Caller> {
  if (token.length > MAX_LENGTH) {
    throw invalid(`The access token exceeds ${MAX_LENGTH} characters.`);
  }
  const issuer = issuers.get(env);
  if (issuer === undefined) throw invalid('This environment does not accept access tokens.');
  const digest = hash('sha256', token, 'binary');
  const known = issuer.tokens.get(digest);
  if (known !== undefined && known.until > Date.now()) return known.caller;
  return verify(token, digest, env, issuer);
}

async function verify(
  token: string,
  digest: string,
  env: string,
  // If keys are withdrawn meanwhile, this cache is no longer in use.
  { name, findKey, tokens }: Issuer,
): Promise<Caller> {
  try {
    const verified = await jwtVerify(token, findKey, {
      algorithms: ALGORITHMS,
      audience: env,
      requiredClaims: ['exp'],
      ...(name !== undefined && { issuer: name }),
    });
    const { exp = 0 } = verified.payload;
    const caller = toTokenCaller(verified, env);
    const until = Math.min(exp * 1000, Date.now() + LIMITS.tokenCacheSeconds * 1000);
    tokens.set(digest, { caller, until });
    return caller;
  } catch (error) {
    throw toTokenError(error);
  }
}

/** RFC 7519, section 5.1, and RFC 9068, section 2.1. */
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

/** D15: a token belongs to one environment, so a token with another audience in addition is rejected. */
function toTokenCaller({ payload, protectedHeader }: JWTVerifyResult, env: string): Caller {
  const { aud, sub } = payload;
  const { typ } = protectedHeader;
  if (typ !== undefined && !TYPES.includes(String(typ).toLowerCase())) {
    throw invalid('The typ of the access token must be JWT or at+jwt.');
  }
  if (Array.isArray(aud) && aud.length > 1) throw invalidClaim('aud');
  if (typeof sub !== 'string' || sub === '') throw invalidClaim('sub');
  return { env, id: sub };
}

function invalid(message?: string): GatewayError {
  return new GatewayError('ACCESS_TOKEN_INVALID', message === undefined ? {} : { message });
}

function invalidClaim(claim: string): GatewayError {
  return invalid(`The ${claim} claim of the access token is missing or invalid.`);
}

/** The error for a rejected token has no cause, because `jose` errors contain claims. Any other error is a bug. */
function toTokenError(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof KeysUnavailable) {
    const message = 'The keys for verifying access tokens are currently unavailable.';
    return new GatewayError('SYS_ERR', { status: 503, message, retryAfter: 1 });
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return invalid('The access token must name its key (kid), because several keys are in use.');
  }
  // Claims are checked after the signature: only the holder of a valid token learns which claim is wrong.
  if (error instanceof errors.JWTClaimValidationFailed) return invalidClaim(error.claim);
  return error instanceof errors.JOSEError ? invalid() : error;
}
