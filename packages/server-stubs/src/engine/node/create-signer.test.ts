import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner } from './create-signer.ts';

const old = randomBytes(32);

test.each([
  [
    ['a', 'b'],
    ['ab', ''],
  ],
  [['a', 'b'], ['a,b']],
  [
    ['a', 'b'],
    ['a', 'b', ''],
  ],
  [['a","b'], ['a', 'b']],
  [
    ['a', 'b'],
    ['b', 'a'],
  ],
])('%j is not %j', (values, others) => {
  const signer = createSigner([old]);
  expect(signer.verify(others, signer.sign(values))).toBe(false);
});

test('short keys are refused', () => {
  expect(() => createSigner([])).toThrow(TypeError);
  expect(() => createSigner([old, randomBytes(15)])).toThrow('16 bytes');
});
