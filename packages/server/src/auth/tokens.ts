import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  SignJWT,
} from 'jose';

export interface TokenRequest {
  readonly env: string;
  readonly key: JWK;
  readonly subject: string;
  readonly seconds: number;
}

const ALGORITHM = 'ES256';

/** Mints an access token (D19) for development. In production, an identity provider issues tokens. */
export async function mintToken({ env, key, subject, seconds }: TokenRequest): Promise<string> {
  const time = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', ...(key.kid && { kid: key.kid }) })
    .setAudience(env)
    .setSubject(subject)
    .setIssuedAt(time)
    .setExpirationTime(time + seconds)
    .sign(await importJWK(key, ALGORITHM));
}

export async function createDevKeys(): Promise<{ privateKey: JWK; jwks: JSONWebKeySet }> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const marks = { kid: await calculateJwkThumbprint(publicJwk), alg: ALGORITHM, use: 'sig' };
  return {
    privateKey: { ...(await exportJWK(privateKey)), ...marks },
    jwks: { keys: [{ ...publicJwk, ...marks }] },
  };
}
