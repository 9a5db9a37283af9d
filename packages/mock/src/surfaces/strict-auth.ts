import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@berth/server-stubs';
import {
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import { errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { callOf } from '../call.ts';
import { type Auth, KEY_PAIR, TOKEN_KEY } from './auth.ts';

/** Verifies tokens and signatures, which must be made with the keys that all mocks share (D15 to D19). */
export async function createStrictAuth(env: string): Promise<Auth> {
  const { d: _secret, ...publicKey } = TOKEN_KEY;
  const key = await importJWK(publicKey);
  const pairs = createKeyPairs({ [env]: { credentials: [KEY_PAIR] } });
  const now = (request: IncomingMessage) => callOf(request).session.clock.now().getTime();
  const verifySignature = createGatewaySignature({ pairs, now });
  return {
    gateway: {
      async bearerToken(token, { request }) {
        try {
          const { payload } = await jwtVerify(token, key, {
            algorithms: [TOKEN_KEY.alg],
            audience: env,
            requiredClaims: ['exp', 'sub'],
            currentDate: new Date(now(request)),
          });
          return { id: payload.sub };
        } catch (error) {
          const isExpired = error instanceof errors.JWTExpired;
          throw new GatewayError(isExpired ? 'ACCESS_TOKEN_EXPIRED' : 'ACCESS_TOKEN_INVALID');
        }
      },
      signature: (value, { request }) => verifySignature(value, { env, request }),
    },
    storage: createStorageSignature({ pairs, now }),
  };
}

/** Mints an access token that a strict mock with this environment accepts (D19). */
export async function mintToken(env: string, now: Date): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: TOKEN_KEY.alg, typ: 'JWT' })
    .setAudience(env)
    .setSubject('mock')
    .setIssuedAt(now)
    .setExpirationTime(new Date(now.getTime() + 30 * 24 * 3_600_000))
    .sign(await importJWK(TOKEN_KEY));
}
