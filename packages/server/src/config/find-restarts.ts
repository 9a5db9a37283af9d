import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

/** What is read once, when the server starts. */
const FIXED = ['listen', 'admin', 'store', 'wireProfile', 'signature', 'dns'] as const;

/** Limits that are given to what outlives a change of the configuration. */
const FIXED_LIMITS = [
  'gatewayHeadersSeconds',
  'gatewaySpoolBytes',
  'clockWindowSeconds',
  'tokenCacheSeconds',
] as const;

export interface Reloadable {
  /** The new configuration, with the old values of what needs a restart. */
  readonly config: Config;
  /** Settings that have changed and need a restart. */
  readonly restarts: readonly string[];
}

/** Tells which changes of a configuration can be made while the server runs. */
export function findRestarts(old: Config, next: Config): Reloadable {
  const settings = FIXED.filter((name) => !isDeepStrictEqual(old[name], next[name]));
  const limits = FIXED_LIMITS.filter((name) => old.limits[name] !== next.limits[name]);
  const kept = Object.fromEntries(FIXED.map((name) => [name, old[name]]));
  const keptLimits = Object.fromEntries(FIXED_LIMITS.map((name) => [name, old.limits[name]]));
  return {
    config: { ...next, ...kept, limits: { ...next.limits, ...keptLimits } },
    restarts: [...settings, ...limits.map((name) => `limits.${name}`)],
  };
}
