import type { GatewayError } from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import {
  type AuthEnvironments,
  type Authenticator,
  createAuthenticator,
} from '../../../src/auth/authenticator.ts';

/** 2023-11-14T22:13:20Z */
export const START = 1_700_000_000;

export const CLAIMS = {
  aud: 'dev',
  sub: 'user-1',
  iss: 'https://login.example',
  exp: START + 3600,
};

type Claims = Readonly<Record<string, unknown>>;

/** An identity provider with one key. */
export interface Issuer {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
  /** A token of the environment `dev`, valid for an hour, with some claims or header fields changed. */
  token(claims?: Claims, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

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

interface AuthOptions {
  readonly now?: () => number;
  readonly onKeyFailure?: (env: string, reason: string) => void;
}

/** Uses the contract's names, at the time `START`. */
export function authenticate(
  environments: AuthEnvironments,
  options: AuthOptions = {},
): Authenticator {
  const { signature } = defaults;
  const limits = { clockWindowSeconds: 300, tokenCacheSeconds: 60 };
  return createAuthenticator(
    { environments, wireProfile: defaultWireProfile, signature, limits },
    { now: () => START * 1000, ...options },
  );
}

/** An authenticator with a clock that tests move. */
export function deploy(environments: AuthEnvironments, options: AuthOptions = {}) {
  const clock = { seconds: START };
  const now = () => clock.seconds * 1000;
  const authenticator = authenticate(environments, { now, ...options });
  return {
    authenticator,
    clock,
    /** Returns the caller that a token identifies, or the code and the message of the refusal. */
    async ask(token: string, env = 'dev') {
      try {
        return await authenticator.gateway.bearerToken(token, { env } as never);
      } catch (error) {
        const { code, message } = error as GatewayError;
        return { code, message };
      }
    },
  };
}
