import { readFile } from 'node:fs/promises';
import type { TokenTrust } from './caller.ts';
import { createKeySet, type KeySet, type KeySource, KeysUnavailable } from './key-set.ts';

/** Maximum size of a response; a key takes less than 1 kB. */
const MAX_BYTES = 262_144;

/** Older keys are refreshed in the background. */
const FRESH_MS = 5 * 60_000;

/** Keys that could not be refreshed for this long are no longer trusted: one may have been withdrawn. */
const STALE_MS = 60 * 60_000;

/** Minimum time between two attempts, whatever tokens arrive. */
const COOL_DOWN_MS = 30_000;

/** Same, while no keys are loaded. */
const RETRY_MS = 1000;

const URL_LIKE = /^https?:/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Creates the source of an environment's keys.
 *
 * @throws TypeError for unusable keys, or a file system error if a file cannot be read
 */
export async function createKeySource(
  jwks: TokenTrust['jwks'],
  settings: Parameters<typeof createRemoteKeys>[1],
): Promise<KeySource> {
  if (typeof jwks !== 'string') return createStaticKeys(jwks);
  if (isRemote(jwks)) return createRemoteKeys(toUrl(jwks), settings);
  const text = await readFile(jwks, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new TypeError(`The key set ${jwks} is not valid JSON.`);
  }
  return createStaticKeys(json);
}

/** Keys that are known in advance. @throws TypeError */
function createStaticKeys(json: unknown): KeySource {
  let current = createKeySet(json);
  return {
    get current() {
      return current;
    },
    load: async () => current,
    renew: async () => undefined,
    forget() {
      current = createKeySet(json);
    },
    close() {},
  };
}

function toUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      'The URL of a key set must use https: otherwise, anyone who can change the response could log in.',
    );
  }
  return url;
}

interface Settings {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the error of a failed attempt. */
  readonly onFailure: (reason: string) => void;
  /** Timeout of an attempt, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
}

/** Creates a source for keys that are fetched from a URL. */
export function createRemoteKeys(
  url: URL,
  { now, onFailure, timeoutMs = 5000 }: Settings,
): KeySource {
  const closing = new AbortController();
  let current: KeySet | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
      const keys = createKeySet(await fetchJson(url, { maxBytes: MAX_BYTES, signal }));
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
    forget() {
      current = current && createKeySet({ keys: JSON.parse(current.text) });
    },
    close: () => closing.abort(),
  };
}

/**
 * Fetches a small JSON document.
 *
 * @throws TypeError whose message quotes nothing from the response
 */
async function fetchJson(
  url: URL,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<unknown> {
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
    if (size > maxBytes) throw new TypeError(`The response exceeds ${maxBytes} bytes.`);
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

/** Returns whether the keys are fetched from a URL. */
export function isRemote(jwks: TokenTrust['jwks']): jwks is string {
  return typeof jwks === 'string' && URL_LIKE.test(jwks);
}
