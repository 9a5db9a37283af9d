import { importJWK, type JWK, SignJWT } from 'jose';
import { ALGORITHMS } from './key-set.ts';

export interface TokenRequest {
  /** Environment that the token is for. */
  readonly env: string;
  /** Private key with its `alg`; `privateKey` of `createDevKeys` is one. */
  readonly key: JWK;
  /** Who the token speaks for. */
  readonly subject: string;
  /** Time until the token expires. */
  readonly seconds: number;
  /** Default: none. */
  readonly issuer?: string | undefined;
  /** Milliseconds since the epoch. Default: the clock of this machine. */
  readonly now?: () => number;
}

/**
 * Mints an access token (D19) for development; tokens of production come from an identity provider.
 *
 * @throws TypeError for a key that no environment would take
 *
 * @example
 * const { privateKey, jwks } = await createDevKeys();
 * const token = await mintToken({ env: 'dev', key: privateKey, subject: 'me', seconds: 3600 });
 */
export async function mintToken(request: TokenRequest): Promise<string> {
  const { env, key, subject, seconds, issuer, now = Date.now } = request;
  const { alg, kid } = key;
  if (alg === undefined || !ALGORITHMS.includes(alg)) {
    throw new TypeError(`The key needs an alg, one of ${ALGORITHMS.join(', ')}.`);
  }
  const time = Math.floor(now() / 1000);
  const token = new SignJWT()
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setAudience(env)
    .setSubject(subject)
    .setIssuedAt(time)
    .setExpirationTime(time + seconds);
  if (issuer !== undefined) token.setIssuer(issuer);
  return token.sign(await importJWK(key, alg));
}
