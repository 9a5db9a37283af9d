import { isDeepStrictEqual } from 'node:util';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { KeySet } from './key-set.ts';
import type { ParsedConfig } from './schema.ts';

type ParsedEnvironment = ParsedConfig['environments'][string];

/** A key pair that signs calls. */
interface KeyPair {
  readonly id: string;
  readonly secret: string;
  readonly token?: string | undefined;
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

/** Settings that are only read when the server starts. */
const FIXED = ['listen', 'admin', 'store', 'redis'] as const;

/**
 * Finds the changed settings that only take effect after a restart, and keeps their old values. A certificate
 * can be renewed.
 */
export function findRestarts(
  old: Config,
  next: Config,
): { readonly config: Config; readonly restarts: readonly string[] } {
  const tls = old.listen.tls && next.listen.tls;
  const { listen, admin, store, redis } = tls ? { ...old, listen: { ...old.listen, tls } } : old;
  const fixed = { listen, admin, store, redis };
  const restarts = FIXED.filter((name) => !isDeepStrictEqual(fixed[name], next[name]));
  return { config: { ...next, ...fixed }, restarts };
}
