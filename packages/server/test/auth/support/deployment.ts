import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import {
  createGatewayRouter,
  createStorageRouter,
  defaultWireProfile,
  type GatewayHandler,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
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
  readonly signature?: { readonly service: string; readonly storageSigningHost: string };
}

/** Uses the contract's names, at the time `START`. */
export function authenticate(
  environments: AuthEnvironments,
  { signature = defaults.signature, ...settings }: AuthOptions = {},
): Authenticator {
  const limits = { clockWindowSeconds: 300, tokenCacheSeconds: 60 };
  return createAuthenticator(
    { environments, wireProfile: defaultWireProfile, signature, limits },
    { now: () => START * 1000, ...settings },
  );
}

interface Deployment {
  readonly authenticator: Authenticator;
  /** Seconds since the epoch; tests move it. */
  readonly clock: { seconds: number };
  /** Bodies that reached the hosted service. */
  readonly served: string[];
  /** Calls the gateway of an environment. */
  gateway(env: string, path: string, sent?: Sent): Promise<Reply>;
  /** Calls a storage operation of an environment. */
  storage(env: string, headers: Readonly<Record<string, string>>): Promise<Reply>;
}

/** Both routers over real HTTP, with a hosted service that reports the caller. */
export async function deploy(
  environments: AuthEnvironments,
  options: AuthOptions = {},
): Promise<Deployment> {
  const clock = { seconds: START };
  const served: string[] = [];
  const authenticator = authenticate(environments, {
    now: () => clock.seconds * 1000,
    ...options,
  });
  const call: GatewayHandler<Caller> = async ({ body }, { caller }) => {
    const content = body === undefined ? Buffer.alloc(0) : await buffer(body);
    caller.verifyBody?.(createHash('sha256').update(content).digest('hex'));
    served.push(content.toString());
    const { env, id } = caller;
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ env, id }),
    };
  };
  const operations = {
    'cloudrun-get-root': call,
    'cloudrun-post-root': call,
    'cloudrun-get': call,
    'cloudrun-post': call,
  };
  const env = (name: string) => Object.hasOwn(environments, name);
  const gateway = createGatewayRouter(operations, {
    security: authenticator.gateway,
    env,
  });
  const storage = createStorageRouter<Caller>(
    {
      batchDelete: (_input, { caller }) => ({
        fileList: [{ fileID: `${caller.env}/${caller.id}`, code: 'SUCCESS' }],
      }),
    },
    { security: authenticator.storage, env },
  );
  const base = await startService((request, response) =>
    storage(request, response, () => gateway(request, response)),
  );
  return {
    authenticator,
    clock,
    served,
    gateway: (name, path, sent = {}) =>
      send(base, path, { ...sent, headers: { host: `${name}.example`, ...sent.headers } }),
    storage: (name, headers) =>
      send(base, `/api/v2/envs/${name}/storages:batchDelete`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"fileList":["x"]}',
      }),
  };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
  readonly json: any;
}

/** Sends a request with `path` and `Host` unchanged, which `fetch` does not allow. */
async function send(base: string, path: string, sent: Sent = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body = '' } = sent;
  const { hostname, port } = new URL(base);
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request({
    hostname,
    port,
    path,
    method,
    headers: { ...length, ...headers } as never,
    agent: false,
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, json: await json(response) };
}
