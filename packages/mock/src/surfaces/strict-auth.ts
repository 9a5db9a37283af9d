import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@berth/server-stubs';
import {
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import type { WireProfile } from '@berth/spec/wire-profile';
import { errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { recordOf } from '../log.ts';
import { type Auth, createPresentAuth, KEY_PAIR, TOKEN_KEY } from './auth.ts';

/**
 * Creates an Auth that verifies tokens and signatures. They must be made with the keys that all mocks share
 * (D15 to D19).
 */
export async function createStrictAuth(env: string, profile: WireProfile): Promise<Auth> {
  const { d: _secret, ...publicKey } = TOKEN_KEY;
  const key = await importJWK(publicKey);
  const present = createPresentAuth(profile);
  const pairs = createKeyPairs({ [env]: { credentials: [KEY_PAIR] } });
  const now = (request: IncomingMessage) => recordOf(request).session.clock.now().getTime();
  const gatewaySignature = createGatewaySignature({ pairs, now });
  const storageSignature = createStorageSignature({ pairs, wireProfile: profile, now });
  return {
    gateway: {
      async bearerToken(token, login) {
        await present.gateway.bearerToken(token, login);
        try {
          const { payload } = await jwtVerify(token, key, {
            algorithms: [TOKEN_KEY.alg],
            audience: env,
            requiredClaims: ['exp', 'sub'],
            currentDate: new Date(now(login.request)),
          });
          return { id: payload.sub };
        } catch (error) {
          throw toTokenError(error);
        }
      },
      async signature(value, login) {
        await present.gateway.signature(value, login);
        const { request, rawPath, rawQuery } = login;
        return gatewaySignature(value, { env, request, rawPath, rawQuery });
      },
    },
    storage: {
      async credentials(credentials, login) {
        await present.storage.credentials(credentials, login);
        return storageSignature.credentials(credentials, login);
      },
    },
  };
}

function toTokenError(error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return new GatewayError('ACCESS_TOKEN_EXPIRED');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const message = `The ${error.claim} claim of the access token is missing or invalid.`;
    return new GatewayError('ACCESS_TOKEN_INVALID', { message });
  }
  return new GatewayError('ACCESS_TOKEN_INVALID');
}

const DAYS = 30;

/**
 * Mints an access token that a strict mock accepts (D19).
 *
 * @param env the mock's environment
 */
export async function mintToken(env: string, subject = 'mock'): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: TOKEN_KEY.alg, typ: 'JWT' })
    .setAudience(env)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(`${DAYS} days`)
    .sign(await importJWK(TOKEN_KEY));
}
