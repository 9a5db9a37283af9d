import { hash } from 'node:crypto';
import type { GatewayLogin } from '@berth/server-stubs';
import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { errors, type JWTVerifyResult } from 'jose';
import type { EnvironmentConfig } from '../config/config.ts';
import { ALGORITHMS, type KeySet, type KeySource, KeysUnavailable } from './keys.ts';

/** RFC 7519, section 5.1, and RFC 9068, section 2.1. */
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

/** Longer tokens are rejected without being parsed; Node's own limit for all headers is 16 KiB. */
const MAX_LENGTH = 8192;

const MAX_ROUNDS = 3;

/** The settings that determine which tokens an environment accepts, and the keys that they lead to. */
export interface Trust extends NonNullable<EnvironmentConfig['tokens']> {
  readonly keys: KeySource;
}

interface Settings {
  readonly trustOf: (env: string) => Trust | undefined;
  readonly now: () => number;
  readonly cacheSeconds: number;
}

/**
 * Creates a function that authenticates callers by a token for the environment (D19). It is synchronous if
 * the token is cached.
 */
export function createBearer({ trustOf, now, cacheSeconds }: Settings) {
  return (token: string, { env }: Pick<GatewayLogin, 'env'>): Caller | Promise<Caller> => {
    if (token.length > MAX_LENGTH) {
      throw invalid(`The access token exceeds ${MAX_LENGTH} characters.`);
    }
    const digest = hash('sha256', token, 'binary');
    const known = trustOf(env)?.keys.current?.tokens.get(digest);
    return known && known.until > now() ? known.caller : verify(token, digest, env);
  };

  async function verify(token: string, digest: string, env: string): Promise<Caller> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const trust = trustOf(env);
      if (trust === undefined) throw invalid('This environment does not accept access tokens.');
      const { keys, caller, expires } = await read(token, env, trust).catch((error: unknown) => {
        throw toRefusal(error);
      });
      // Keys may have been withdrawn in the meantime, which invalidates what they verified.
      if (trustOf(env) === trust && trust.keys.current === keys) {
        const until = Math.min(expires, now() + cacheSeconds * 1000);
        keys.tokens.set(digest, { caller, until });
        return caller;
      }
    }
    throw invalid();
  }

  async function read(token: string, env: string, trust: Trust) {
    const keys = await trust.keys.load();
    try {
      return await readWith(keys, token, env, trust);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await trust.keys.renew(keys);
      if (newer === undefined) throw error;
      return await readWith(newer, token, env, trust);
    }
  }

  async function readWith(keys: KeySet, token: string, env: string, trust: Trust) {
    const { issuer } = trust;
    const verified = await keys.verify(token, {
      algorithms: ALGORITHMS,
      audience: env,
      requiredClaims: ['exp'],
      currentDate: new Date(now()),
      ...(issuer !== undefined && { issuer }),
    });
    const { exp = 0 } = verified.payload;
    return { keys, caller: toCaller(verified, env), expires: exp * 1000 };
  }
}

function invalid(message?: string): GatewayError {
  return new GatewayError('ACCESS_TOKEN_INVALID', message === undefined ? {} : { message });
}

/**
 * Returns the error for a rejected token. It has no cause, because `jose` errors contain claims of the token.
 */
function toRefusal(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof KeysUnavailable) {
    const message = 'The keys for verifying access tokens are currently unavailable.';
    return new GatewayError('SYS_ERR', { message, retryAfter: 1 });
  }
  // Claims are checked after the signature: only the holder of a valid token learns which claim is wrong.
  return error instanceof errors.JWTClaimValidationFailed ? invalidClaim(error.claim) : invalid();
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
