import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { createGatewayRouter, type GatewayHandlers } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import {
  type AuthEnvironments,
  type Authenticator,
  createAuthenticator,
} from '../../../src/auth/create-authenticator.ts';
import { startService } from '../../server/support/hosted-service.ts';

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

interface Deployment {
  readonly authenticator: Authenticator;
  /** Seconds since the epoch; tests move it. */
  readonly clock: { seconds: number };
  /** Callers that reached the hosted service. */
  readonly served: Caller[];
  /** Calls the gateway of an environment with a token. */
  gateway(token: string, env?: string): Promise<Reply>;
}

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
  readonly json: any;
}

/** The gateway over real HTTP, with a hosted service that reports the caller. */
export async function deploy(
  environments: AuthEnvironments,
  options: AuthOptions = {},
): Promise<Deployment> {
  const clock = { seconds: START };
  const served: Caller[] = [];
  const now = () => clock.seconds * 1000;
  const authenticator = authenticate(environments, { now, ...options });
  const handlers: GatewayHandlers<Caller> = {
    call: (_input, { caller }) => {
      served.push(caller);
      return { status: 200, body: JSON.stringify(caller) };
    },
  };
  const security = authenticator.gateway;
  const env = (name: string) => Object.hasOwn(environments, name);
  const base = await startService(createGatewayRouter(handlers, { security, env }));
  return {
    authenticator,
    clock,
    served,
    async gateway(token, name = 'dev') {
      // Unlike `fetch`, this sends any `Host`.
      const headers = { host: `${name}.example`, authorization: `Bearer ${token}` };
      const sent = request(`${base}/v1/cloudrun/hello`, { agent: false, headers }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, json: await json(response) };
    },
  };
}
