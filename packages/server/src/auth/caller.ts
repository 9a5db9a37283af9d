import type { Credential } from '@berth/server-stubs/engine/node';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { JSONWebKeySet } from 'jose';

export type { Caller } from '@berth/server-stubs/engine/node';

/** Constants and limits of the contract for authentication. */
export const { signature, limits } = defaults;

/** Whose Bearer tokens an environment accepts (D19). */
export interface TokenTrust {
  /** Required `iss`. Default: any issuer whose key is in the set. */
  readonly issuer?: string | undefined;
  /**
   * Public keys: a key set (RFC 7517), the path of a file that holds one, or an `https:` URL that serves
   * one; `http:` only on a loopback address, since anybody who can change the response in transit can
   * log in. A file is read again by `update`, a URL when a token names an unknown key, and every 5
   * minutes.
   */
  readonly jwks: JSONWebKeySet | string;
}

/** Credentials of one environment. */
interface AuthEnvironment {
  /** Default: no Bearer token is accepted. */
  readonly tokens?: TokenTrust | undefined;
  /** Default: no signature is accepted. */
  readonly credentials?: readonly Credential[] | undefined;
}

/** By name of the environment. */
export type AuthEnvironments = Readonly<Record<string, AuthEnvironment>>;
