import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner } from '../src/node/signer.ts';

const old = randomBytes(32);

test('different lists have different signatures', () => {
  const signer = createSigner([old]);
  const lists = [['a', 'b'], ['ab', ''], ['a,b'], ['a', 'b', ''], ['a","b'], ['b', 'a']];
  expect(new Set(lists.map(signer.sign)).size).toBe(lists.length);
});

test('short keys are rejected', () => {
  expect(() => createSigner([])).toThrow(TypeError);
  expect(() => createSigner([old, randomBytes(15)])).toThrow('16 bytes');
});
