import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@berth/server-stubs/auth';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwksCache,
} from 'jose';
import QuickLRU from 'quick-lru';
import type { Config } from '../config/config.ts';
import { findKeyProblem, type KeySet, toUsable } from '../config/key-set.ts';

/** Maximum number of cached tokens; briefly up to twice that: about 6 MB at worst. */
const MAX_TOKENS = 10_000;

const MAX_BYTES = 262_144;

const FRESH_MILLISECONDS = 5 * 60_000;

/** Keys that could not be refreshed for this long are no longer trusted: one may have been withdrawn. */
const STALE_MILLISECONDS = 60 * 60_000;

/** Minimum time between two attempts while keys can be used: unknown tokens must not cause more. */
const COOL_DOWN_MILLISECONDS = 30_000;

/** Minimum time between two attempts while no keys can be used. */
const RETRY_MILLISECONDS = 1000;

/** Thrown if keys cannot be loaded at the moment, and no earlier keys can be used. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export interface Issuer {
  readonly name: string | undefined;
  readonly jwks: KeySet | string;
  /** @throws KeysUnavailable */
  readonly findKey: JWTVerifyGetKey;
  /** Tokens that the current keys verified, by their SHA-256, so that none can be read from memory (D19). */
  tokens: QuickLRU<string, { readonly caller: Caller; readonly until: number }>;
}

export type Issuers = ReturnType<typeof createIssuers>;

/** @param onFailure called with the reason if keys cannot be loaded from their URL */
export function createIssuers(initial: Config, onFailure: (env: string, reason: string) => void) {
  let issuers = new Map<string, Issuer>();

  /** Replaces the issuers, and forgets all tokens. Known URLs keep their keys, because an issuer may be down. */
  function update({ environments }: Config): void {
    const previous = issuers;
    issuers = new Map();
    for (const [env, { tokens: settings }] of Object.entries(environments)) {
      if (settings === undefined) continue;
      const { jwks, issuer: name } = settings;
      const old = previous.get(env);
      const isKnown = typeof jwks === 'string' && jwks === old?.jwks;
      const findKey = isKnown ? old.findKey : createKeys(env, jwks);
      issuers.set(env, { name, jwks, findKey, tokens: createTokens() });
    }
  }

  function createKeys(env: string, jwks: KeySet | string): JWTVerifyGetKey {
    if (typeof jwks !== 'string') return createLocalJWKSet(toUsable(jwks));
    const forgetTokens = () => {
      const issuer = issuers.get(env);
      if (issuer !== undefined) issuer.tokens = createTokens();
    };
    return createRemoteKeys(jwks, (reason) => onFailure(env, reason), forgetTokens);
  }

  update(initial);
  return { update, get: (env: string) => issuers.get(env) };
}

const createTokens = (): Issuer['tokens'] => new QuickLRU({ maxSize: MAX_TOKENS });

/**
 * Creates the keys of a URL.
 *
 * | Age of the keys  | When a call has a token, the keys are loaded | Until then, or if that fails          |
 * | ---------------- | -------------------------------------------- | ------------------------------------- |
 * | up to 5 minutes  | if none of them fits                         | they are used                         |
 * | up to 60 minutes | in the background                            | they are used                         |
 * | older, or none   | before anything else                         | no token: one may have been withdrawn |
 *
 * `jose` loads the keys, picks one, waits at most 5 s, and pauses for 30 s after a successful load. By itself, it would
 * load them again for each token while the URL is down, read responses of any size, and drop keys that it cannot refresh.
 */
function createRemoteKeys(
  url: string,
  onFailure: (reason: string) => void,
  onChange: () => void,
): JWTVerifyGetKey {
  let triedAt = Number.NEGATIVE_INFINITY;
  /** Filled in by `jose` with the current keys and the time when they were loaded. */
  const cache = { jwks: { keys: [] } as JSONWebKeySet, uat: Number.NEGATIVE_INFINITY };
  let known = cache.jwks;
  const age = () => Date.now() - cache.uat;
  const isTrusted = () => age() < STALE_MILLISECONDS;
  const detectChange = () => {
    if (!isDeepStrictEqual(cache.jwks, known)) onChange();
    known = cache.jwks;
  };
  const load: FetchImplementation = async (href, init) => {
    const pause = isTrusted() ? COOL_DOWN_MILLISECONDS : RETRY_MILLISECONDS;
    // The clock may have been set back.
    if (Math.abs(Date.now() - triedAt) < pause) throw new KeysUnavailable();
    triedAt = Date.now();
    try {
      return Response.json(await fetchKeys(href, init));
    } catch (error) {
      onFailure(toReason(error));
      throw new KeysUnavailable();
    }
  };
  const remote = createRemoteJWKSet(new URL(url), {
    cacheMaxAge: STALE_MILLISECONDS,
    [jwksCache]: cache,
    [customFetch]: load,
  });
  return async (header, token) => {
    const isFresh = Math.abs(age()) < FRESH_MILLISECONDS;
    if (isTrusted() && !isFresh) remote.reload().then(detectChange, () => {});
    try {
      return await remote(header, token);
    } catch (error) {
      // The token names an unknown key, and newer keys cannot be loaded right now.
      if (error instanceof KeysUnavailable && isTrusted()) throw new errors.JWKSNoMatchingKey();
      throw error;
    } finally {
      detectChange();
    }
  };
}

/** @throws Error whose message quotes nothing from the response */
async function fetchKeys(...[url, init]: Parameters<FetchImplementation>): Promise<JSONWebKeySet> {
  // `jose` does not follow redirects: one could lead to keys that no operator configured.
  const response = await fetch(url, init);
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
  const problem = findKeyProblem(keys, false);
  if (problem !== undefined) throw new Error(`The key set ${problem}.`);
  return toUsable(keys as KeySet);
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error.';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
