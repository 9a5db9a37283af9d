import type { Credential } from '@berth/server-stubs/engine/node';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { JSONWebKeySet } from 'jose';

export type { Caller } from '@berth/server-stubs/engine/node';

/** The contract's constants and limits for authentication. */
export const { signature, limits } = defaults;

/** The settings that determine which Bearer tokens an environment accepts (D19). */
export interface TokenTrust {
  /** Required `iss` claim. Default: any issuer whose key is in the set. */
  readonly issuer?: string | undefined;
  /**
   * Public keys: a key set (RFC 7517), the path of a file that contains one, or an `https:` URL that serves
   * one. `http:` is only allowed on a loopback address, because anyone who can change the response in transit
   * could log in. `update` reads the file again; a URL is fetched when a token names an unknown key, and
   * every 5 minutes.
   */
  readonly jwks: JSONWebKeySet | string;
}

/** Credentials that an environment accepts. */
interface AuthEnvironment {
  /** Default: no Bearer token is accepted. */
  readonly tokens?: TokenTrust | undefined;
  /** Default: no signature is accepted. */
  readonly credentials?: readonly Credential[] | undefined;
}

/** The authentication settings of all environments, by environment name. */
export type AuthEnvironments = Readonly<Record<string, AuthEnvironment>>;
