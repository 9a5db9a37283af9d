import { expect, test } from 'vitest';
import { createGrants, createSign } from './signed.ts';

const sign = createSign(Buffer.from('secret'), 'session');

test('a grant is good for its key until it expires', () => {
  let now = 0;
  const grants = createGrants(sign, () => now);
  const grant = grants.issue('a', 900);
  expect(grants.check('a', grant)).toBe('valid');
  expect(grants.check('b', grant)).toBe('mismatch');
  now = 899_999;
  expect(grants.check('a', grant)).toBe('valid');
  now = 900_000;
  expect(grants.check('a', grant)).toBe('expired');
});

test('every part belongs to it', () => {
  const grants = createGrants(sign, Date.now);
  const [grant, other] = [grants.issue('a', 900), grants.issue('a', 900)];
  for (const name of ['token', 'authorization', 'storeFileID'] as const) {
    expect(grants.check('a', { ...grant, [name]: other[name] })).toBe('mismatch');
    expect(grants.check('a', { ...grant, [name]: '' })).toBe('mismatch');
  }
  const others = [
    createSign(Buffer.from('other'), 'session'),
    createSign(Buffer.from('secret'), 'two'),
  ];
  for (const another of others) {
    expect(createGrants(another, Date.now).check('a', grant)).toBe('mismatch');
  }
});

test('a grant may last for ever', () => {
  let now = 0;
  const grants = createGrants(sign, () => now);
  const grant = grants.issue('a', Number.POSITIVE_INFINITY);
  now = Number.MAX_SAFE_INTEGER;
  expect(grants.check('a', grant)).toBe('valid');
});
