import { expect, test } from 'vitest';
import { TokenCache } from './keys.ts';

const caller = { env: 'dev', id: 'me' };

test('caches 10,000 tokens, and evicts the least recently used first', () => {
  const cache = new TokenCache();
  for (let count = 0; count < 10_000; count += 1) cache.set(String(count), caller, 1);
  cache.get('0', 0);
  cache.set('new', caller, 1);
  expect(cache.get('0', 0)).toBe(caller);
  expect(cache.get('1', 0)).toBeUndefined();
  expect(cache.get('2', 0)).toBe(caller);
});
