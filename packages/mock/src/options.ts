import { standardProfile, type WireProfile } from './contract/wire-profile.ts';

/** How a mock is set up. */
export interface MockOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined;
  /** Host to listen on. Default `127.0.0.1`; `0.0.0.0` opens the mock to the network. */
  host?: string | undefined;
  /**
   * Identifier of the environment (D12). Default `dev`. A gateway call for another one is answered
   * with `INVALID_HOST`, a storage call with `INVALID_ENV`.
   */
  env?: string | undefined;
  /** Names of the hosted services that there are; others are missing (404). Default: every name. */
  services?: readonly string[] | undefined;
  /** Room for all uploaded files together, in bytes. Default 256 MiB; an upload beyond it is refused. */
  maxStoreBytes?: number | undefined;
  /** Names of the deployment that the mock stands for (D1). Default: those of the contract. */
  wireProfile?: WireProfile | undefined;
}

/** Options with their defaults. */
export type ResolvedOptions = {
  [Name in Exclude<keyof MockOptions, 'services'>]-?: NonNullable<MockOptions[Name]>;
} & Pick<MockOptions, 'services'>;

/** Fills in the defaults. Throws a TypeError or RangeError that names a wrong option. */
export function resolveOptions({
  port = 0,
  host = '127.0.0.1',
  env = 'dev',
  services,
  maxStoreBytes = 256 * 1024 * 1024,
  wireProfile = standardProfile,
}: MockOptions): ResolvedOptions {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError('port must be a whole number from 0 to 65535.');
  }
  // Node listens on every interface where it is told no host.
  if (host === '') throw new TypeError('host must be an address of this machine.');
  if (!isEnv(env)) {
    throw new TypeError(
      'env must be one label of a host name: letters, digits and hyphens, at most 63.',
    );
  }
  if (!Number.isSafeInteger(maxStoreBytes) || maxStoreBytes < 1) {
    throw new RangeError('maxStoreBytes must be a whole number of at least 1.');
  }
  return { port, host, env, services, maxStoreBytes, wireProfile };
}

/** D12: the environment is "the first label of the host name" (RFC 1123, section 2.1). */
export function isEnv(env: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(env);
}
