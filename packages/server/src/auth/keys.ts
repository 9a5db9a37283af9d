import type { Caller } from '@berth/server-stubs/auth';
import { isLoopback } from '@berth/server-stubs/contract';
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import QuickLRU from 'quick-lru';
import type { KeySet as GivenKeys } from '../config/config.ts';

/** The accepted algorithms. The list is fixed, so that the caller cannot choose `none` or HMAC (D19). */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

const KEY_TYPES = ['RSA', 'EC', 'OKP'];

/** Members that only private and symmetric keys have (RFC 7518, section 6). */
const SECRETS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** How many keys to try for a token without a `kid`. */
const MAX_TRIES = 8;

/** How many verified tokens are cached, up to twice as many at times: about 6 MB at worst. */
const MAX_TOKENS = 10_000;

const MAX_BYTES = 262_144;

/** Older keys are refreshed in the background. */
const FRESH_MS = 5 * 60_000;

/** Keys that could not be refreshed for this long are no longer trusted: one may have been withdrawn. */
const STALE_MS = 60 * 60_000;

/** Minimum time between two attempts, whatever tokens arrive; the second one while no keys are loaded. */
const COOL_DOWN_MS = 30_000;
const RETRY_MS = 1000;

export interface KeySet {
  /** Recently verified tokens by their SHA-256, so that no token can be read from memory (D19). */
  readonly tokens: QuickLRU<string, { readonly caller: Caller; readonly until: number }>;
  readonly text: string;
  /** @throws JOSEError */
  verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult>;
}

export interface KeySource {
  readonly current: KeySet | undefined;
  /**
   * Returns the keys to verify with.
   * @throws KeysUnavailable if there are none
   */
  load(): Promise<KeySet>;
  /** Checks for newer keys, because a token names one that is not in `seen`. */
  renew(seen: KeySet): Promise<KeySet | undefined>;
  close(): void;
}

/** Thrown if keys cannot be loaded at the moment, and no earlier keys can be used. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

interface Settings {
  readonly now: () => number;
  readonly onFailure: (reason: string) => void;
  readonly timeoutMs?: number;
}

/**
 * Creates the source of an environment's keys: a key set, or the URL that serves one.
 * @throws TypeError for unusable keys
 */
export function createKeySource(
  jwks: GivenKeys | string,
  { now, onFailure, timeoutMs = 5000 }: Settings,
): KeySource {
  if (typeof jwks !== 'string') {
    const current = createKeySet(jwks);
    return { current, load: async () => current, renew: async () => undefined, close() {} };
  }
  const url = toUrl(jwks);
  const closing = new AbortController();
  let current: KeySet | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
      const keys = createKeySet(await fetchJson(url, signal));
      // The token cache is kept if the keys are the same.
      if (keys.text !== current?.text) current = keys;
      loadedAt = now();
    } catch (error) {
      if (!closing.signal.aborted) onFailure(toReason(error));
    }
  }

  /** Reloads the keys, one attempt at a time, and never during the pause after a failure. */
  function reload(): Promise<void> | undefined {
    if (pending !== undefined) return pending;
    const coolDown = current === undefined ? RETRY_MS : COOL_DOWN_MS;
    if (now() - triedAt < coolDown) return undefined;
    triedAt = now();
    pending = attempt().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  const isOld = (age: number) => now() - loadedAt >= age;
  return {
    get current() {
      return current;
    },
    async load() {
      if (isOld(STALE_MS)) {
        await reload();
        if (isOld(STALE_MS)) current = undefined;
      } else if (isOld(FRESH_MS)) {
        void reload();
      }
      if (current === undefined) throw new KeysUnavailable();
      return current;
    },
    async renew(seen) {
      await reload();
      return current === seen ? undefined : current;
    },
    close: () => closing.abort(),
  };
}

function toUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new TypeError(
      'The URL of a key set must use https: otherwise, anyone who can change the response could log in.',
    );
  }
  return url;
}

/** @throws TypeError whose message quotes nothing from the response */
async function fetchJson(url: URL, signal: AbortSignal): Promise<unknown> {
  // A redirect could lead to keys that no operator configured.
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new TypeError(`The response status is ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new TypeError(`The response exceeds ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new TypeError('The response is not valid JSON.');
  }
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed.';
  if (error.name === 'TimeoutError') return 'The request timed out.';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}

/** @throws TypeError if the value is not a set of public keys; the message does not quote the value */
function createKeySet(json: unknown): KeySet {
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
    tokens: new QuickLRU({ maxSize: MAX_TOKENS }),
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
