import { isDeepStrictEqual } from 'node:util';
import type { WireProfile } from '@berth/spec/wire-profile';

import type { ParsedConfig } from './schema.ts';

/** Settings that are only read when the server starts. */
const FIXED = ['listen', 'admin', 'store', 'redis', 'wireProfile', 'signature'] as const;

/** Limits used by parts that outlive a reload. */
const FIXED_LIMITS = [
  'gatewayHeadersSeconds',
  'gatewaySpoolBytes',
  'clockWindowSeconds',
  'tokenCacheSeconds',
] as const;

type ParsedEnvironment = ParsedConfig['environments'][string];

/** Public keys of a token issuer (RFC 7517). */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A key pair that signs calls. */
export interface KeyPair {
  readonly id: string;
  readonly secret: string;
  readonly token?: string | undefined;
  readonly expires?: string | undefined;
}

export interface EnvironmentConfig extends Omit<ParsedEnvironment, 'credentials' | 'tokens'> {
  readonly credentials: readonly KeyPair[];
  readonly tokens?:
    | { readonly jwks: KeySet | string; readonly issuer?: string | undefined }
    | undefined;
}

/**
 * A configuration with its defaults filled in, its files read and its paths made absolute. It contains
 * secrets.
 */
export interface Config extends Omit<ParsedConfig, 'environments' | 'keys' | 'wireProfile'> {
  readonly wireProfile: WireProfile;
  readonly keys: readonly { readonly secret: string }[];
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
}

type Store = ParsedConfig['store'];

/** The settings of each store driver that are secret. */
const STORE_SECRETS: {
  readonly [Driver in Store['driver']]: readonly (keyof Extract<Store, { driver: Driver }>)[];
} = { file: [], s3: ['secretAccessKey'] };

/** Returns every secret in a configuration. */
export function secretsOf({ keys, store, redis, environments }: Config): string[] {
  const secrets = keys.map(({ secret }) => secret);
  if (redis !== undefined) {
    const { password } = new URL(redis.url);
    secrets.push(redis.password ?? '', password, decodeURIComponent(password));
  }
  const ofStore: readonly string[] = STORE_SECRETS[store.driver];
  for (const name of ofStore) secrets.push(String(store[name as keyof Store] ?? ''));
  for (const { credentials } of Object.values(environments)) {
    for (const { secret, token } of credentials) secrets.push(secret, token ?? '');
  }
  return secrets;
}

/** One error in a configuration. */
export interface ConfigFault {
  /** Path of the setting, from the top: `['environments', 'dev', 'bucket']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong and how to fix it, as the end of a sentence that begins with the setting. */
  readonly problem: string;
  /** `file:line:column`; undefined if the configuration was not read from a file. */
  readonly place?: string | undefined;
}

/** Thrown if a configuration is invalid. The message has one line per error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(toLine).join('\n'));
    this.faults = faults;
  }
}

function toLine({ path, problem, place }: ConfigFault): string {
  const setting = toName(path);
  return `${place === undefined ? '' : `${place}: `}${setting}${setting && ' '}${problem}.`;
}

/** `environments.dev.credentials[0].id` */
function toName(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Finds the changed settings that only take effect after a restart, and keeps their old values. */
export function findRestarts(
  old: Config,
  next: Config,
): { config: Config; restarts: readonly string[] } {
  const settings = FIXED.filter((name) => !isDeepStrictEqual(old[name], next[name]));
  const limits = FIXED_LIMITS.filter((name) => old.limits[name] !== next.limits[name]);
  const kept = Object.fromEntries(FIXED.map((name) => [name, old[name]]));
  const keptLimits = Object.fromEntries(FIXED_LIMITS.map((name) => [name, old.limits[name]]));
  return {
    config: { ...next, ...kept, limits: { ...next.limits, ...keptLimits } },
    restarts: [...settings, ...limits.map((name) => `limits.${name}`)],
  };
}
