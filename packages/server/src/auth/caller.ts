import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { JSONWebKeySet } from 'jose';

/** Constants and limits of the contract that authentication obeys. */
export const { signature, limits } = defaults;

/** Who a call comes from. */
export interface Caller {
  /** Environment that the credentials belong to; always that of the call (D15, D30). */
  readonly env: string;
  /** `sub` of a token, or the id of a key pair. */
  readonly id: string;
  /**
   * Judges the body of a signed gateway call, whose SHA-256 the signature covers (D16); undefined where
   * nothing is left to judge. Must be called before the hosted service is.
   *
   * @param bodyHash SHA-256 of the body in hex
   * @throws GatewayError INVALID_CREDENTIALS
   */
  readonly verifyBody?: (bodyHash: string) => void;
}

/** Judges the time of a signature (D18). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Why a time is refused; undefined where it is within the window. */
  refusalOf(timestamp: number): string | undefined;
}

/**
 * A signature is good for as long as its time is within the window, however often it is sent: processes
 * share no state that could tell a second time. Only TLS keeps others from having one to repeat.
 *
 * @param windowSeconds how far a time may be off either way
 */
export function createClock(now: () => number, windowSeconds: number): Clock {
  return {
    now,
    refusalOf(timestamp) {
      const time = Math.floor(now() / 1000);
      if (Math.abs(time - timestamp) <= windowSeconds) return undefined;
      // facts: "Wrong machine clocks are a common cause of refusals: say so …, with the server's time."
      const server = new Date(time * 1000).toISOString().replace('.000', '');
      return `The time of the signature is more than ${windowSeconds} s off: the server's time is ${time} (${server}). Set the clock of the machine that signs.`;
    },
  };
}

/** A key pair that signs calls (D16, D17). */
export interface Credential {
  /** Sent with each call; visible ASCII without `/`, `,` and spaces. */
  readonly id: string;
  /** Shared with the caller, never sent. */
  readonly secret: string;
  /** Session token of temporary credentials, which every call must then carry. Default: none. */
  readonly token?: string | undefined;
  /** Refused from here on. Default: never. */
  readonly expires?: Date | undefined;
}

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
