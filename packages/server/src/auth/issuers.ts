import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@berth/server-stubs/auth';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import QuickLRU from 'quick-lru';
import type { Config } from '../config/config.ts';
import { findKeyProblem, type KeySet, toUsable } from '../config/key-set.ts';

/** Maximum number of cached tokens; briefly up to twice that: about 6 MB at worst. */
const MAX_TOKENS = 10_000;

/** Thrown if keys cannot be loaded at the moment, and no earlier keys can be used. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export interface Issuer {
  readonly name: string | undefined;
  readonly jwks: KeySet | string;
  /** @throws KeysUnavailable */
  readonly findKey: JWTVerifyGetKey;
  /**
   * Tokens that the current keys verified, by their SHA-256, so that no token can be read from memory (D19). Other keys
   * begin with an empty cache.
   */
  tokens: QuickLRU<string, { readonly caller: Caller; readonly until: number }>;
}

export class Issuers {
  /** Called with the reason if keys cannot be loaded from their URL. */
  readonly #onFailure: (env: string, reason: string) => void;
  #issuers = new Map<string, Issuer>();

  constructor(config: Config, onFailure: (env: string, reason: string) => void) {
    this.#onFailure = onFailure;
    this.update(config);
  }

  get(env: string): Issuer | undefined {
    return this.#issuers.get(env);
  }

  /**
   * Replaces the issuers, and forgets all tokens. A known URL keeps its keys, so that an update does not depend on an
   * issuer that is down.
   */
  update({ environments }: Config): void {
    const previous = this.#issuers;
    this.#issuers = new Map();
    for (const [env, { tokens: settings }] of Object.entries(environments)) {
      if (settings === undefined) continue;
      const { jwks, issuer: name } = settings;
      const old = previous.get(env);
      const isKnown = typeof jwks === 'string' && jwks === old?.jwks;
      const findKey = isKnown ? old.findKey : this.#createKeys(env, jwks);
      this.#issuers.set(env, { name, jwks, findKey, tokens: createTokens() });
    }
  }

  #createKeys(env: string, jwks: KeySet | string): JWTVerifyGetKey {
    if (typeof jwks !== 'string') return createLocalJWKSet(toUsable(jwks));
    const onFailure = (reason: string) => this.#onFailure(env, reason);
    return createRemoteKeys(jwks, onFailure, () => {
      const issuer = this.#issuers.get(env);
      if (issuer !== undefined) issuer.tokens = createTokens();
    });
  }
}

const createTokens = (): Issuer['tokens'] => new QuickLRU({ maxSize: MAX_TOKENS });

const MAX_BYTES = 262_144;
const TIMEOUT_MILLISECONDS = 5_000;

const FRESH_MILLISECONDS = 5 * 60_000;
const TRUSTED_MILLISECONDS = 60 * 60_000;

/** Minimum time between two attempts to load keys: tokens with an unknown key must not cause more. */
const COOL_DOWN_MILLISECONDS = 30_000;
/** The same, while no keys can be used. */
const RETRY_MILLISECONDS = 1_000;

/**
 * Creates the keys of a URL.
 *
 * | Age of the keys  | When a call has a token, the keys are loaded | Until then, or if that fails          |
 * | ---------------- | -------------------------------------------- | ------------------------------------- |
 * | up to 5 minutes  | if none of them fits                         | they are used                         |
 * | up to 60 minutes | in the background                            | they are used                         |
 * | older, or none   | before anything else                         | no token: one may have been withdrawn |
 *
 * `jose` can load keys too, but it reads responses of any size, drops the keys when it cannot load them again, and tries
 * again for each token while the URL is down.
 */
function createRemoteKeys(
  url: string,
  onFailure: (reason: string) => void,
  onChange: () => void,
): JWTVerifyGetKey {
  let keys: JSONWebKeySet = { keys: [] };
  let findKey = createLocalJWKSet(keys);
  let loadedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const age = () => Date.now() - loadedAt;

  async function load(): Promise<void> {
    try {
      const loaded = await fetchKeys(url);
      loadedAt = Date.now();
      if (isDeepStrictEqual(loaded, keys)) return;
      keys = loaded;
      findKey = createLocalJWKSet(keys);
      onChange();
    } catch (error) {
      onFailure(toReason(error));
    } finally {
      loading = undefined;
    }
  }

  /** Returns the load in progress, or starts one, unless the last one was too recent. */
  function refresh(pause: number): Promise<void> | undefined {
    if (loading === undefined && Date.now() - triedAt >= pause) {
      triedAt = Date.now();
      loading = load();
    }
    return loading;
  }

  return async (header, token) => {
    if (age() >= TRUSTED_MILLISECONDS) await refresh(RETRY_MILLISECONDS);
    if (age() >= TRUSTED_MILLISECONDS) throw new KeysUnavailable();
    if (age() >= FRESH_MILLISECONDS) void refresh(COOL_DOWN_MILLISECONDS);
    try {
      return await findKey(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh(COOL_DOWN_MILLISECONDS);
      return findKey(header, token);
    }
  };
}

/** @throws Error whose message quotes nothing from the response */
async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    // A redirect could lead to keys that no operator configured.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`The response status is ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`The response exceeds ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const keys = await new Response(Buffer.concat(chunks)).json().catch(() => {
    throw new Error('The response is not valid JSON.');
  });
  const problem = findKeyProblem(keys);
  if (problem !== undefined) throw new Error(`The key set ${problem}.`);
  return toUsable(keys as KeySet);
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error.';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
