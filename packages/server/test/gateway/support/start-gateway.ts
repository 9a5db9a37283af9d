import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRouter, GatewayError, type GatewayRouterOptions } from '@berth/server-stubs';
import { onTestFinished } from 'vitest';
import type { Caller } from '../../../src/auth/caller.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/create-gateway.ts';

import type { Service, ServiceRegistry } from '../../../src/gateway/registry/service-registry.ts';

/** `Authorization` of the caller `ada`, and of a signed call whose body has this SHA-256. */
export const BEARER = 'Bearer ada';
export const signed = (bodyHash: string) => `TC3-HMAC-SHA256 ${bodyHash}`;

/** A ready service `hello` with one version at these addresses. */
export function toService(origins: readonly string[], change: Partial<Service> = {}): Service {
  const endpoints = origins.map((origin) => ({ origin }));
  const version = { name: 'v1', weight: 100, hasResource: true, endpoints };
  return {
    env: 'dev',
    name: 'hello',
    state: 'ready',
    versions: [version],
    callers: undefined,
    ...change,
  };
}

function toRegistry(services: readonly Service[]): ServiceRegistry {
  return {
    find: (env, name) => services.find((some) => some.env === env && some.name === name),
    close: async () => {},
  };
}

export interface Started {
  readonly base: string;
  readonly port: number;
  readonly gateway: ReturnType<typeof createGateway>;
}

/** Serves a gateway of the environment `dev` until the test is over. */
export async function startGateway(
  services: readonly Service[] | ServiceRegistry,
  options: Partial<GatewayOptions> = {},
  routing: Partial<GatewayRouterOptions<Caller>> = {},
): Promise<Started> {
  const registry = isList(services) ? toRegistry(services) : services;
  const gateway = createGateway({ registry, ...options });
  const router = createGatewayRouter<Caller>(gateway.handlers, {
    env: 'dev',
    security: {
      bearerToken: (token, { env }) => (/^[a-z]+$/.test(token) ? { env, id: token } : undefined),
      signature: (value, { env }) => ({ env, id: 'key', verifyBody: createVerifier(value) }),
    },
    ...routing,
  });
  const server = createServer({ shouldUpgradeCallback: router.shouldUpgrade }, router);
  server.on('upgrade', router.upgrade).on('checkContinue', router.checkContinue);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    gateway.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, port, gateway };
}

function createVerifier(value: string): (hash: string) => void {
  const wanted = value.split(' ')[1];
  return (hash) => {
    if (hash !== wanted) throw new GatewayError('INVALID_CREDENTIALS');
  };
}

function isList(given: readonly Service[] | ServiceRegistry): given is readonly Service[] {
  return Array.isArray(given);
}
