import { GatewayError, type GatewayErrorCode } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/engine/node';
import {
  RegistryUnavailableError,
  type Service,
  type ServiceRegistry,
  type ServiceVersion,
} from './registry/service-registry.ts';

const CODES: Readonly<Record<Exclude<Service['state'], 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

export async function findService(
  registry: ServiceRegistry,
  env: string,
  name: string,
): Promise<Service> {
  let service: Service | undefined;
  try {
    service = await registry.find(env, name);
  } catch (error) {
    if (!(error instanceof RegistryUnavailableError)) throw error;
    // A retry may help.
    throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND', { cause: error });
  }
  if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
  return service;
}

/**
 * Rejects callers that may not call the service, and services that cannot be called. The caller is checked
 * first, so that callers without access do not learn the service's state.
 */
export function assertCallable(service: Service, caller: Caller): void {
  const { callers, state, startSeconds = 0 } = service;
  if (callers !== undefined && !callers.has(caller.id)) throw new GatewayError('SERVICE_FORBIDDEN');
  if (state !== 'not-ready' || startSeconds === 0) assertReady(service);
}

function assertReady({ state }: Service): void {
  if (state !== 'ready') throw new GatewayError(CODES[state]);
}

/** Chooses the version for a call, by weight. */
export function chooseVersion(service: Service, random = Math.random): ServiceVersion {
  assertReady(service);
  const { versions } = service;
  const version = pick(versions, random);
  if (version === undefined) throw new GatewayError('SERVICE_VERSION_NOT_FOUND');
  if (!version.hasResource) throw new GatewayError('SERVICE_RESOURCE_NOT_FOUND');
  if (version.endpoints.length === 0) throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND');
  return version;
}

function pick(versions: readonly ServiceVersion[], random: () => number) {
  if (versions.length === 1) return (versions[0]?.weight ?? 0) > 0 ? versions[0] : undefined;
  const weighted = versions.filter(({ weight }) => weight > 0);
  let rest = random() * weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}
