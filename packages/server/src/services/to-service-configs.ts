import type { Config } from '../config/config.ts';
import type { ServiceConfig } from '../gateway/registry/service-config.ts';

/** The hosted services of all environments, as the registry wants them. */
export function toServiceConfigs({ environments }: Config): ServiceConfig[] {
  return Object.entries(environments).flatMap(([env, { services }]) =>
    Object.entries(services).map(
      ([name, { state, callers, maxCalls, versions, endpoints, dns }]) => {
        const base = { env, name, state, callers, maxCalls };
        if (dns !== undefined) return { ...base, dns };
        return { ...base, versions: versions ?? [{ name: 'v1', endpoints: endpoints ?? [] }] };
      },
    ),
  );
}
