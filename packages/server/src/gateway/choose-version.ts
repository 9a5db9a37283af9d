import { GatewayError } from '@berth/server-stubs';
import type { Service, ServiceVersion } from './service-registry.ts';

/**
 * The version that a call goes to, by weight.
 *
 * @param random from 0 up to, but not including 1
 * @throws GatewayError SERVICE_VERSION_NOT_FOUND where no version has a weight,
 * SERVICE_RESOURCE_NOT_FOUND and SERVICE_ENDPOINT_NOT_FOUND where the version cannot be called
 */
export function chooseVersion({ versions }: Service, random = Math.random): ServiceVersion {
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
