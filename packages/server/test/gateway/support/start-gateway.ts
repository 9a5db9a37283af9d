import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGatewayRouter, GatewayError, type GatewayRouterOptions } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { onTestFinished } from 'vitest';
import { listen } from '../../../../../scripts/testing/listen.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/create-gateway.ts';
import type { Service } from '../../../src/gateway/services.ts';

/** `Authorization` of the caller `ada`, and of a signed call whose body has this SHA-256. */
export const BEARER = 'Bearer ada';

export const signed = (bodyHash: string) => `TC3-HMAC-SHA256 ${bodyHash}`;

interface Started {
  readonly base: string;
  readonly port: number;
  readonly gateway: ReturnType<typeof createGateway>;
}

/** Serves a gateway of the environment `dev` until the end of the test. */
export async function startGateway(
  services: readonly Service[],
  options: Partial<GatewayOptions> = {},
  routing: Partial<GatewayRouterOptions<Caller>> = {},
): Promise<Started> {
  const gateway = createGateway({
    services: {
      find: (env, name) => services.find((some) => some.env === env && some.name === name),
    },
    headersSeconds: 60,
    maxHeaderBytes: 16_384,
    spoolBytes: 1024 * 1024,
    trustProxy: false,
    wireProfile: defaultWireProfile,
    ...options,
  });
  const router = createGatewayRouter<Caller>(gateway.handlers, {
    env: 'dev',
    signedBodies: 'handler',
    security: {
      bearerToken: (token, { env }) => (/^[a-z]+$/.test(token) ? { env, id: token } : undefined),
      signature: (value, { env }) => ({ env, id: 'key', verifyBody: createVerifier(value) }),
    },
    ...routing,
  });
  const server = createServer({ shouldUpgradeCallback: router.shouldUpgrade }, router);
  server.on('upgrade', router.upgrade).on('checkContinue', router.checkContinue);
  const { url, port, close } = await listen(server);
  onTestFinished(async () => {
    gateway.close();
    await close();
  });
  return { base: url, port, gateway };
}

function createVerifier(value: string): (hash: string) => void {
  const wanted = value.split(' ')[1];
  return (hash) => {
    if (hash !== wanted) throw new GatewayError('INVALID_CREDENTIALS');
  };
}

/** A ready service `hello` with one version at these addresses. */
export function toService(origins: readonly string[], change: Partial<Service> = {}): Service {
  const version = { name: 'v1', weight: 100, hasResource: true, endpoints: origins };
  return {
    env: 'dev',
    name: 'hello',
    state: 'ready',
    versions: [version],
    callers: undefined,
    maxCalls: 1024,
    headersSeconds: undefined,
    ...change,
  };
}

/** A hosted service on a free loopback port until the end of the test. */
export async function startService(listener: RequestListener) {
  const server = createServer(listener);
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { origin: url, server };
}

/** A service that writes raw bytes. */
export async function startRawService(onConnection: (socket: Socket) => void) {
  const server = createNetServer((socket) => onConnection(socket.on('error', () => {})));
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { origin: url };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of an error of the gateway. */
  readonly code: string | undefined;
}

/** Calls as `ada`, with path and `Host` unchanged, which `fetch` does not allow. */
export async function send(base: string, path: string, sent: Sent = {}): Promise<Received> {
  const response = await begin(base, path, sent);
  const body = await text(response);
  const isOwn = response.headers['x-svc-upstream-status-code'] === undefined;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: body,
    code: isOwn && body.startsWith('{') ? JSON.parse(body).code : undefined,
  };
}

/** Calls, and returns the response as soon as it has begun. */
export async function begin(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(base);
  const all = { authorization: BEARER, ...headers };
  const outgoing = request({ hostname, port, path, method, headers: all as never });
  const received = once(outgoing, 'response');
  received.catch(() => {});
  outgoing.on('error', () => {});
  if (typeof body === 'string' || body instanceof Uint8Array || body === undefined) {
    outgoing.end(body);
  } else {
    for await (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
  const [response] = (await received) as [IncomingMessage];
  return response;
}
