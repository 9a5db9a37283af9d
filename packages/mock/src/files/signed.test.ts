import { describe, expect, test } from 'vitest';
import { createGrants, createLinks, createSign } from './signed.ts';

describe('grants', () => {
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

  test('every part belongs to a grant', () => {
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
});

describe('links', () => {
  const sign = createSign(Buffer.from('secret'), '');

  test('a link is good for its key until it expires', () => {
    let now = 0;
    const links = createLinks(sign, '', () => now);
    const [path, query] = links.issue('报告/a b?.txt', 2).split('?') as [string, string];
    expect(path).toBe('/files/%E6%8A%A5%E5%91%8A/a%20b%3F.txt');
    expect(links.check(path, query)).toEqual({ key: '报告/a b?.txt' });
    expect(links.check('/files/other', query)).toBe('mismatch');
    now = 1_999;
    expect(links.check(path, query)).toEqual({ key: '报告/a b?.txt' });
    now = 2_000;
    expect(links.check(path, query)).toBe('expired');
  });

  test.each([undefined, '', 'expires=9', 'expires=x&sign=', 'sign=00&expires=9e99'])(
    'the query %s is none of ours',
    (query) => {
      expect(createLinks(sign, '', Date.now).check('/files/a', query)).toBe('mismatch');
    },
  );

  test('a link of a session names it, and is none of another one', () => {
    const own = createLinks(createSign(Buffer.from('secret'), 'a&b'), 'a&b', Date.now);
    const [path, query] = own.issue('k', 2).split('?') as [string, string];
    expect(new URLSearchParams(query).get('session')).toBe('a&b');
    expect(own.check(path, query)).toEqual({ key: 'k' });
    expect(createLinks(sign, '', Date.now).check(path, query)).toBe('mismatch');
  });
});
