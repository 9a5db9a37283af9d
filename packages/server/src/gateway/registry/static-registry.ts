import {
  createServiceTable,
  reuseEndpoints,
  reuseVersion,
  type Service,
  type ServiceRegistry,
  type StaticServiceConfig,
  type VersionConfig,
} from './service-registry.ts';

/**
 * Services whose endpoints stand in the configuration.
 *
 * @example
 * const registry = createStaticRegistry([
 *   { env: 'dev', name: 'hello', versions: [{ name: 'v1', endpoints: ['http://127.0.0.1:9000'] }] },
 * ]);
 * registry.find('dev', 'hello')?.versions[0]?.endpoints; // [{ origin: 'http://127.0.0.1:9000' }]
 */
export function createStaticRegistry(services: readonly StaticServiceConfig[]): StaticRegistry {
  const table = createServiceTable(toService);
  table.prepare(services)();
  return {
    find: table.get,
    prepare: table.prepare,
    update: (next) => table.prepare(next)(),
    close: async () => table.prepare([])(),
  };
}

interface StaticRegistry extends ServiceRegistry {
  find(env: string, name: string): Service | undefined;
  /**
   * Replaces the services. Those that did not change stay the same objects, and so do the unchanged
   * versions and endpoints of those that did.
   *
   * @throws TypeError for an endpoint that is none; the old services stay
   */
  update(services: readonly StaticServiceConfig[]): void;
  /** An update in two steps: checks and makes all, and changes nothing until the result is called. */
  prepare(services: readonly StaticServiceConfig[]): () => void;
}

function toService(config: StaticServiceConfig, previous: Service | undefined): Service {
  const known = previous?.versions ?? [];
  const reuse = reuseEndpoints(known);
  const toVersion = ({ name, weight = 100, endpoints, hasResource = true }: VersionConfig) => {
    const origins = new Set(endpoints.map(toOrigin));
    return reuseVersion(known, {
      name,
      weight,
      endpoints: [...origins].map((origin) => reuse({ origin })),
      hasResource,
    });
  };
  return {
    env: config.env,
    name: config.name,
    state: config.state ?? 'ready',
    versions: config.versions.map(toVersion),
    callers: config.callers && new Set(config.callers),
    maxCalls: config.maxCalls,
  };
}

/**
 * The origin of an endpoint, normalised: `http://Example:80/` becomes `http://example`.
 *
 * @throws TypeError for anything but `http:` or `https:` with a host and perhaps a port
 */
function toOrigin(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError(
      `${endpoint} is no endpoint: write http:// or https://, a host and a port.`,
    );
  }
  return url.origin;
}
