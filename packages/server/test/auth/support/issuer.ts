import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { START } from './deployment.ts';

type Claims = Readonly<Record<string, unknown>>;

/** An identity provider with one key. */
export interface Issuer {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
  /** A token of the environment `dev` for an hour, with some claims or header fields changed. */
  token(claims?: Claims, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

export const CLAIMS = {
  aud: 'dev',
  sub: 'user-1',
  iss: 'https://login.example',
  exp: START + 3600,
};

export async function createIssuer(alg: string, kid: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    publicKey: { ...(await exportJWK(publicKey)), kid, alg },
    privateKey: { ...(await exportJWK(privateKey)), kid, alg },
    token: (claims = {}, header = {}) =>
      new SignJWT({ ...CLAIMS, ...claims })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey, { crit: { exotic: true } }),
  };
}
