import { createServer, type RequestListener } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import { createGatewayRouter, GatewayError, type GatewayRouterOptions } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { onTestFinished } from 'vitest';
import { listen } from '../../../../../scripts/testing/listen.ts';
import {
  begin as beginAsIs,
  type Sent,
  send as sendAsIs,
} from '../../../../server-stubs/test/support/send.ts';
import type { Config } from '../../../src/config/config.ts';
import { createGateway, type GatewayConfig } from '../../../src/gateway/gateway.ts';

type Service = Config['environments'][string]['services'][string];

/** `Authorization` of the caller `ada`, and of a signed call whose body has this SHA-256. */
export const BEARER = 'Bearer ada';

export const signed = (bodyHash: string) => `TC3-HMAC-SHA256 ${bodyHash}`;

interface Started {
  readonly base: string;
  readonly port: number;
  readonly gateway: ReturnType<typeof createGateway>;
  /** Replaces the service, as a reload does. */
  readonly update: (service: Service) => void;
}

interface Options {
  readonly headersSeconds?: number;
  readonly maxHeaderBytes?: number;
  readonly trustProxy?: boolean;
  readonly wireProfile?: GatewayConfig['wireProfile'];
  readonly beforeCall?: Parameters<typeof createGateway>[1];
}

/** Serves a gateway of the environment `dev`, with a service `hello`, until the end of the test. */
export async function startGateway(
  service: Service,
  options: Options = {},
  routing: Partial<GatewayRouterOptions<Caller>> = {},
): Promise<Started> {
  const { headersSeconds = 60, maxHeaderBytes = 16_384, trustProxy = false } = options;
  const { wireProfile = defaultWireProfile, beforeCall = () => {} } = options;
  const toConfig = (hello: Service): GatewayConfig => ({
    listen: { maxHeaderBytes, trustProxy },
    limits: { gatewayHeadersSeconds: headersSeconds },
    wireProfile,
    environments: { dev: { services: { hello } } } as unknown as Config['environments'],
  });
  const gateway = createGateway(toConfig(service), beforeCall);
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
  return { base: url, port, gateway, update: (next) => gateway.update(toConfig(next)) };
}

function createVerifier(value: string): (hash: string) => void {
  const wanted = value.split(' ')[1];
  return (hash) => {
    if (hash !== wanted) throw new GatewayError('INVALID_CREDENTIALS');
  };
}

/** A ready service with these endpoints. */
export function toService(endpoints: readonly string[], change: Partial<Service> = {}): Service {
  return { state: 'ready', maxCalls: 1024, endpoints: [...endpoints], ...change };
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

/** Calls as `ada`; returns the response, and the code of an error of the gateway. */
export async function send(base: string, path: string, sent: Sent = {}) {
  const received = await sendAsIs(base, path, asAda(sent));
  const isOwn = received.headers['x-svc-upstream-status-code'] === undefined;
  const code = isOwn ? (received.json as { code?: string } | undefined)?.code : undefined;
  return { ...received, code };
}

/** Calls as `ada`, and returns the response as soon as it has begun. */
export const begin = (base: string, path: string, sent: Sent = {}) =>
  beginAsIs(base, path, asAda(sent));

const asAda = ({ headers, ...sent }: Sent): Sent => ({
  ...sent,
  headers: { authorization: BEARER, ...headers },
});
