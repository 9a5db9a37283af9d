import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createGatewayRouter, createStorageRouter, type GatewayHandler } from '@berth/server-stubs';
import type { AuthEnvironments, Caller } from '../../../src/auth/caller.ts';

import {
  type Authenticator,
  type AuthenticatorOptions,
  createAuthenticator,
} from '../../../src/auth/create-authenticator.ts';
import { type Reply, type Sent, send } from './send.ts';
import { serve } from './serve.ts';

/** 2023-11-14T22:13:20Z */
export const START = 1_700_000_000;

export interface Deployment {
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

/** Both routers over real HTTP, with a hosted service that says who called. */
export async function deploy(
  environments: AuthEnvironments,
  options: Partial<AuthenticatorOptions> = {},
): Promise<Deployment> {
  const clock = { seconds: START };
  const served: string[] = [];
  const authenticator = await createAuthenticator({
    environments,
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
  const { wireProfile } = options;
  const env = (name: string) => Object.hasOwn(environments, name);
  const profile = wireProfile === undefined ? {} : { wireProfile };
  const gateway = createGatewayRouter(operations, {
    security: authenticator.gateway,
    env,
    ...profile,
  });
  const storage = createStorageRouter<Caller>(
    {
      batchDelete: (_input, { caller }) => ({
        fileList: [{ fileID: `${caller.env}/${caller.id}`, code: 'SUCCESS' }],
      }),
    },
    { security: authenticator.storage, env, ...profile },
  );
  const base = await serve((request, response) =>
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
