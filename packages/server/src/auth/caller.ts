import type { Credential } from '@berth/server-stubs/engine/node';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { JSONWebKeySet } from 'jose';

export type { Caller } from '@berth/server-stubs/engine/node';

/** Constants and limits of the contract that authentication obeys. */
export const { signature, limits } = defaults;

/** Whose Bearer tokens an environment takes (D19). */
export interface TokenTrust {
  /** What `iss` must be. Default: any issuer whose key is in the set. */
  readonly issuer?: string | undefined;
  /**
   * Public keys: a key set (RFC 7517), the path of a file that holds one, or an `https:` URL that serves
   * one; `http:` on a loopback address only, for whoever changes the answer on its way can log in. A file
   * is read again by `update`, a URL when it is asked for a key that it did not have, and every 5 minutes.
   */
  readonly jwks: JSONWebKeySet | string;
}

/** What lets callers into one environment. */
interface AuthEnvironment {
  /** Default: no Bearer token is taken. */
  readonly tokens?: TokenTrust | undefined;
  /** Default: no signature is taken. */
  readonly credentials?: readonly Credential[] | undefined;
}

/** By the name of the environment. */
export type AuthEnvironments = Readonly<Record<string, AuthEnvironment>>;
