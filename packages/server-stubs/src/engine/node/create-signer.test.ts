import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner } from './create-signer.ts';

const [old, current, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];

test('the first key signs, and every key verifies', () => {
  const before = createSigner([old]);
  const rotated = createSigner([current, old]);
  expect(rotated.verify(['a'], before.sign(['a']))).toBe(true);
  expect(rotated.verify(['a'], rotated.sign(['a']))).toBe(true);
  expect(before.verify(['a'], rotated.sign(['a']))).toBe(false);
  expect(createSigner([other]).verify(['a'], rotated.sign(['a']))).toBe(false);
});

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

test.each(['', 'a', 'é'.repeat(64), 'A'.repeat(64), '0'.repeat(63), '0'.repeat(65)])(
  'an invalid signature is refused: %s',
  (signature) => {
    expect(createSigner([old]).verify(['a'], signature)).toBe(false);
  },
);

test('short keys are refused', () => {
  expect(() => createSigner([])).toThrow(TypeError);
  expect(() => createSigner([old, randomBytes(15)])).toThrow('16 bytes');
});
