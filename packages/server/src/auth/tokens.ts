import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  SignJWT,
} from 'jose';
import { ALGORITHMS } from '../config/key-set.ts';

export interface TokenRequest {
  readonly env: string;
  readonly key: JWK;
  readonly subject: string;
  readonly seconds: number;
  readonly issuer?: string | undefined;
}

/**
 * Mints an access token (D19) for development. In production, an identity provider issues tokens.
 * @throws TypeError for a key that no environment would accept
 */
export async function mintToken(request: TokenRequest): Promise<string> {
  const { env, key, subject, seconds, issuer } = request;
  const { alg, kid } = key;
  if (alg === undefined || !ALGORITHMS.includes(alg)) {
    throw new TypeError(`The alg of the key must be one of ${ALGORITHMS.join(', ')}.`);
  }
  const time = Math.floor(Date.now() / 1000);
  const token = new SignJWT()
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setAudience(env)
    .setSubject(subject)
    .setIssuedAt(time)
    .setExpirationTime(time + seconds);
  if (issuer !== undefined) token.setIssuer(issuer);
  return token.sign(await importJWK(key, alg));
}

export async function createDevKeys(): Promise<{ privateKey: JWK; jwks: JSONWebKeySet }> {
  const alg = 'ES256';
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const marks = { kid: await calculateJwkThumbprint(publicJwk), alg, use: 'sig' };
  return {
    privateKey: { ...(await exportJWK(privateKey)), ...marks },
    jwks: { keys: [{ ...publicJwk, ...marks }] },
  };
}
