import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner } from './signing.ts';

const [old, current, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];

test('the first key signs, and every key verifies', () => {
  const before = createSigner('berth download link', [old]);
  const rotated = createSigner('berth download link', [current, old]);
  expect(rotated.verify(['a'], before.sign(['a']))).toBe(true);
  expect(rotated.verify(['a'], rotated.sign(['a']))).toBe(true);
  expect(before.verify(['a'], rotated.sign(['a']))).toBe(false);
  expect(createSigner('berth download link', [other]).verify(['a'], rotated.sign(['a']))).toBe(
    false,
  );
});

test('a signature fits one purpose alone', () => {
  const links = createSigner('berth download link', [old]);
  const grants = createSigner('berth upload grant', [old]);
  expect(grants.verify(['a'], links.sign(['a']))).toBe(false);
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
  const signer = createSigner('berth upload grant', [old]);
  expect(signer.verify(others, signer.sign(values))).toBe(false);
});

test.each(['', 'a', 'é'.repeat(64), 'A'.repeat(64), '0'.repeat(63), '0'.repeat(65)])(
  'what is no signature is refused: %s',
  (signature) => {
    expect(createSigner('berth upload grant', [old]).verify(['a'], signature)).toBe(false);
  },
);

test('keys that could be guessed are refused', () => {
  expect(() => createSigner('berth upload grant', [])).toThrow(TypeError);
  expect(() => createSigner('berth upload grant', [old, randomBytes(15)])).toThrow('16 bytes');
});
