import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
} from 'jose';

/** A key that mints tokens, and the set that verifies them. */
export interface DevKeys {
  /** Secret. Its `kid` is its thumbprint (RFC 7638). */
  readonly privateKey: JWK;
  /** Public. */
  readonly jwks: JSONWebKeySet;
}

/** Makes a new ES256 key pair for development, both halves ready to be written to files as JSON. */
export async function createDevKeys(): Promise<DevKeys> {
  const alg = 'ES256';
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const marks = { kid: await calculateJwkThumbprint(publicJwk), alg, use: 'sig' };
  return {
    privateKey: { ...(await exportJWK(privateKey)), ...marks },
    jwks: { keys: [{ ...publicJwk, ...marks }] },
  };
}
