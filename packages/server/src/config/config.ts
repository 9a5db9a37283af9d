import type { WireProfile } from '@berth/server-stubs';
import type { ParsedConfig } from './config-schema.ts';

type ParsedEnvironment = ParsedConfig['environments'][string];

/** Public keys of an issuer of tokens (RFC 7517). */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A key pair that signatures are made with. */
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

/** A configuration with its defaults, every file read and every path absolute. It holds secrets. */
export interface Config extends Omit<ParsedConfig, 'environments' | 'keys' | 'wireProfile'> {
  readonly wireProfile: WireProfile;
  readonly keys: readonly { readonly secret: string }[];
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
}
