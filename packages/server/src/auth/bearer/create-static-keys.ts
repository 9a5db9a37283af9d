import { createKeySet } from './key-set.ts';
import type { KeySource } from './key-source.ts';

/** Keys that are at hand. @throws TypeError */
export function createStaticKeys(json: unknown): KeySource {
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
