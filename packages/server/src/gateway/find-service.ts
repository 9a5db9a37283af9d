import { GatewayError } from '@berth/server-stubs';
import {
  RegistryUnavailableError,
  type Service,
  type ServiceRegistry,
} from './service-registry.ts';

/**
 * The service of that name; at once where the registry answers at once.
 *
 * @throws GatewayError SERVICE_NOT_FOUND; SERVICE_ENDPOINT_NOT_FOUND where the registry cannot tell, for
 * then there is no usable address either and a repeat may help
 */
export function findService(
  registry: ServiceRegistry,
  env: string,
  name: string,
): Service | Promise<Service> {
  try {
    const found = registry.find(env, name);
    return found instanceof Promise ? found.then(assertFound, rethrow) : assertFound(found);
  } catch (error) {
    return rethrow(error);
  }
}

function assertFound(service: Service | undefined): Service {
  if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
  return service;
}

function rethrow(error: unknown): never {
  if (error instanceof RegistryUnavailableError) {
    throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND', { cause: error });
  }
  throw error;
}
