import type { KeySet } from './key-set.ts';

/** Where the keys of an environment come from. */
export interface KeySource {
  /** The keys in use; undefined before the first load. */
  readonly current: KeySet | undefined;
  /**
   * The keys to verify with.
   *
   * @throws KeysUnavailable where there are none
   */
  load(): Promise<KeySet>;
  /** Looks whether there are newer keys, since a token names one that is not in `seen`. */
  renew(seen: KeySet): Promise<KeySet | undefined>;
  /** Forgets verified tokens, and keeps the keys. */
  forget(): void;
  /** Gives up what is under way. */
  close(): void;
}

/** Keys cannot be had at the moment, and none from before are left. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
