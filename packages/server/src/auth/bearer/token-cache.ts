import type { Caller } from '../caller.ts';

/** About 3 MB at worst. */
const MAX_TOKENS = 10_000;

interface Entry {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether it was used since it was last passed over. */
  isUsed: boolean;
}

/**
 * Tokens verified a short while ago, by their SHA-256: whoever reads this memory learns no token. D19:
 * "cached … until `exp`, at most 60 s, bounded". The oldest goes first that was not used since its turn came before.
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

  /** Comes to an end: whoever was passed over once is not used any more. */
  #makeRoom(): void {
    for (const [oldest, entry] of this.#entries) {
      this.#entries.delete(oldest);
      if (!entry.isUsed) return;
      entry.isUsed = false;
      this.#entries.set(oldest, entry);
    }
  }
}
