import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
  type Service,
  type StorageClient,
  type StorageClientOptions,
  tc3Storage,
} from '@berth/client';
import type { Deployment, Surfaces } from './platform-case.ts';

/** Creates a client for a service in `services.ts`. */
export function serviceOf(
  { token, gateway }: Pick<Deployment, 'token' | 'gateway'>,
  name: string,
  options: Partial<Omit<GatewayClientOptions, 'envId' | 'gatewayDomain'>> = {},
): Service {
  const given = { auth: bearer(token), ...options, baseUrl: gateway };
  return createGatewayClient(given as GatewayClientOptions).service(name);
}

/** Creates a client for a deployment's files. */
export function storageOf(
  { storage, envId, keyPair }: Pick<Deployment, 'storage' | 'envId' | 'keyPair'>,
  options: Partial<StorageClientOptions> = {},
): StorageClient {
  return createStorageClient({
    credentials: tc3Storage(keyPair),
    ...options,
    baseUrl: storage,
    envId,
  });
}

/** Returns the same deployment with other URLs. */
export function at(deployment: Deployment, { gateway, storage }: Surfaces): Deployment {
  return { ...deployment, gateway, storage };
}

/** Returns a name that no other run has used. */
export function unique(name: string): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${name}`;
}
