import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import type { Caller } from './caller.ts';

/** About 3 MB at worst. */
const MAX_TOKENS = 10_000;

/** The accepted algorithms. The list is fixed, so that the caller cannot choose `none` or HMAC (D19). */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

const KEY_TYPES = ['RSA', 'EC', 'OKP'];

/** Members that only private and symmetric keys have (RFC 7518, section 6). */
const SECRETS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** How many keys to try for a token without a `kid`. */
const MAX_TRIES = 8;

interface Entry {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether it was used since the last eviction round. */
  isUsed: boolean;
}

/**
 * Caches recently verified tokens by their SHA-256, so that no token can be read from memory. D19: cached
 * until `exp`, at most 60 s. Eviction uses the second-chance algorithm: it removes the oldest entry that has
 * not been used since it was last considered.
 */
export class TokenCache {
  readonly #entries = new Map<string, Entry>();

  get(digest: string, now: number): Caller | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    if (entry.until <= now) {
      this.#entries.delete(digest);
      return undefined;
    }
    entry.isUsed = true;
    return entry.caller;
  }

  set(digest: string, caller: Caller, until: number): void {
    this.#entries.delete(digest);
    if (this.#entries.size >= MAX_TOKENS) this.#makeRoom();
    this.#entries.set(digest, { caller, until, isUsed: false });
  }

  /** Terminates, because an entry that was skipped once is no longer marked as used. */
  #makeRoom(): void {
    for (const [oldest, entry] of this.#entries) {
      this.#entries.delete(oldest);
      if (!entry.isUsed) return;
      entry.isUsed = false;
      this.#entries.set(oldest, entry);
    }
  }
}

/** A snapshot of public keys, and the tokens verified with them. */
export interface KeySet {
  readonly tokens: TokenCache;
  /** The key set as text, which identifies it. */
  readonly text: string;
  /** @throws JOSEError */
  verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult>;
}

/**
 * Creates a key set from parsed JSON.
 *
 * @throws TypeError if the value is not a set of public keys; the message does not quote the value
 */
export function createKeySet(json: unknown): KeySet {
  const keys = (json as Partial<JSONWebKeySet> | undefined | null)?.keys;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'object' && key !== null)) {
    throw new TypeError('The key set must be an object with a list of keys (RFC 7517).');
  }
  if (keys.some((key) => key.kty !== 'oct' && SECRETS.some((name) => Object.hasOwn(key, name)))) {
    throw new TypeError(
      'The key set must contain only public keys, but it contains a private key.',
    );
  }
  const usable = keys.filter(({ kty }) => KEY_TYPES.includes(String(kty)));
  if (usable.length === 0) {
    throw new TypeError(`The key set has no key for ${ALGORITHMS.join(', ')}.`);
  }
  const find = createLocalJWKSet({ keys: usable });
  return {
    tokens: new TokenCache(),
    text: JSON.stringify(usable),
    verify: (token, options) => verify(token, find, options),
  };
}

async function verify(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tries = 0;
    for await (const key of error) {
      tries += 1;
      if (tries > MAX_TRIES) break;
      try {
        return await jwtVerify(token, key, options);
      } catch (reason) {
        if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The source of an environment's keys. */
export interface KeySource {
  /** The keys in use; undefined before the first load. */
  readonly current: KeySet | undefined;
  /**
   * Returns the keys to verify with.
   *
   * @throws KeysUnavailable if there are none
   */
  load(): Promise<KeySet>;
  /** Checks for newer keys, because a token names one that is not in `seen`. */
  renew(seen: KeySet): Promise<KeySet | undefined>;
  /** Clears the token cache and keeps the keys. */
  forget(): void;
  /** Aborts pending requests. */
  close(): void;
}

/** Thrown if keys cannot be loaded at the moment, and no earlier keys can be used. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
