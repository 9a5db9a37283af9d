import type { Caller } from '../caller.ts';

/** About 3 MB at worst. */
const MAX_TOKENS = 10_000;

interface Entry {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Tokens verified a short while ago, by their SHA-256: whoever reads this memory learns no token. D19:
 * "cached … until `exp`, at most 60 s, bounded". The one not used for the longest time goes first.
 */
export class TokenCache {
  readonly #entries = new Map<string, Entry>();

  get(digest: string, now: number): Caller | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    if (entry.until <= now) return undefined;
    this.#entries.set(digest, entry);
    return entry.caller;
  }

  set(digest: string, caller: Caller, until: number): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, { caller, until });
    if (this.#entries.size <= MAX_TOKENS) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
