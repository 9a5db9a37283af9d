import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { vi } from 'vitest';
import type { ConfigInput } from '../../../src/index.ts';
import { startService } from '../../server/support/hosted-service.ts';
import { startServer } from '../../server/support/start-server.ts';

/** 2023-11-14T22:13:20Z */
export const START = 1_700_000_000;

export const CLAIMS = {
  aud: 'dev',
  sub: 'user-1',
  iss: 'https://login.example',
  exp: START + 3600,
};

type Fields = Readonly<Record<string, unknown>>;

/** Stops the clock at `START`, and moves it. */
export const clock = {
  start: () => vi.useFakeTimers({ toFake: ['Date'], now: START * 1000 }),
  advance: (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000),
};

export type Issuer = Awaited<ReturnType<typeof createIssuer>>;

/** An identity provider with one key. */
export async function createIssuer(alg: string, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const toJwk = async (key: Parameters<typeof exportJWK>[0]): Promise<JWK> => ({
    ...(await exportJWK(key)),
    kid,
    alg,
  });
  return {
    publicKey: await toJwk(publicKey),
    privateKey: await toJwk(privateKey),
    /** A token of the environment `dev`, valid for an hour, with some claims or header fields changed. */
    token: (claims: Fields = {}, header: Fields = {}) =>
      new SignJWT({ ...CLAIMS, ...claims })
        .setProtectedHeader({ alg, kid, ...header } as JWTHeaderParameters)
        .sign(privateKey, { crit: { exotic: true } }),
  };
}

/** Starts a server with these issuers, by environment. Only the caller `user-1` may call its service. */
export async function deploy(tokens: Readonly<Record<string, unknown>>) {
  const origin = await startService((_request, response) => response.end());
  const services = { hello: { endpoints: [origin], callers: [CLAIMS.sub] } };
  const toEnvironments = (issuers: typeof tokens) =>
    Object.fromEntries(
      Object.entries(issuers).map(([env, issuer]) => [env, { services, tokens: issuer }]),
    ) as ConfigInput['environments'];
  const environments = toEnvironments(tokens);
  const { server, config, send, lines } = await startServer({ environments });
  return {
    lines,
    reload: (issuers: typeof tokens) =>
      server.reload({ ...config, environments: toEnvironments(issuers) }),
    /** Calls the service, and returns the status, and the body of the refusal. */
    async call(token: string, env = 'dev') {
      const headers = { host: `${env}.example`, authorization: `Bearer ${token}` };
      const { status, json } = await send({ headers });
      return { status, ...(json as { readonly code: string }) };
    },
  };
}
