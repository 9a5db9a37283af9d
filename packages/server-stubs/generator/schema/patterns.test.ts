import { describe, expect, it } from 'vitest';
import { toUnicodePattern } from './patterns.ts';

describe('toUnicodePattern', () => {
  it.each([
    ['^[a-z]+$', '^[a-z]+$'],
    [String.raw`^a\-b\_\@$`, '^a-b_@$'],
    [String.raw`[\w\-]`, String.raw`[\w\-]`],
    [String.raw`^\d{2}-\{x\}$`, String.raw`^\d{2}-\{x\}$`],
    ['^{a}{2,3}]$', String.raw`^\{a\}{2,3}\]$`],
    [String.raw`\A[a-z]+\z`, '^[a-z]+$'],
    ['(?i)^a[b-d_]-z$', '^[aA][b-d_B-D]-[zZ]$'],
    ['^(?i)x(?P<y>[0-9a-f])', '^[xX](?<y>[0-9a-fA-F])'],
    ['(?s)^.[.]$', String.raw`^[\s\S][.]$`],
    ['^[[:alpha:]_]+$', '^[A-Za-z_]+$'],
  ])('%s becomes %s', (pattern, unicode) => {
    expect(toUnicodePattern(pattern)).toBe(unicode);
    expect(() => new RegExp(unicode, 'u')).not.toThrow();
  });

  it('keeps the meaning', () => {
    const pattern = String.raw`^{[\-a]}\:\ $`;
    const unicode = new RegExp(toUnicodePattern(pattern) ?? '', 'u');
    for (const text of ['{-}: ', '{a}: ', '{b}: ', 'a: ']) {
      expect(unicode.test(text), text).toBe(new RegExp(pattern).test(text));
    }
  });

  it.each(['(', '[', 'a**', '(?<a', '(?x)a', '(?i)é', '(?>a)', 'a++'])(
    'gives up on %s',
    (pattern) => {
      expect(toUnicodePattern(pattern)).toBeUndefined();
    },
  );
});
