import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, ServiceVersion } from '../service-registry.ts';

const keyOf = ({ origin, servername }: Endpoint) => `${servername ?? ''} ${origin}`;

/** Gives back the endpoint of `versions` that is the same, so that what is known of it is not lost. */
export function reuseEndpoints(
  versions: readonly ServiceVersion[],
): (endpoint: Endpoint) => Endpoint {
  const known = new Map<string, Endpoint>();
  for (const { endpoints } of versions) {
    for (const endpoint of endpoints) known.set(keyOf(endpoint), endpoint);
  }
  return (endpoint) => {
    const same = known.get(keyOf(endpoint));
    if (same !== undefined) return same;
    known.set(keyOf(endpoint), endpoint);
    return endpoint;
  };
}

/** Gives back the version of `versions` that is the same. */
export function reuseVersion(
  versions: readonly ServiceVersion[],
  version: ServiceVersion,
): ServiceVersion {
  return versions.find((known) => isDeepStrictEqual(known, version)) ?? version;
}
