import { describe, expect, it } from 'vitest';
import { upgrade } from './normalise.ts';
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

describe('upgrade', () => {
  it.each([
    ['nullable with type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with enum',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a'] },
    ],
    [
      'nullable without type',
      { nullable: true, allOf: [{ $ref: '#/a' }], description: 'A.' },
      { description: 'A.', anyOf: [{ allOf: [{ $ref: '#/a' }] }, { type: 'null' }] },
    ],
    ['nullable of anything', { nullable: true, title: 'A' }, { title: 'A' }],
    ['nullable with types', { type: ['string'], nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable constant',
      { const: 1, nullable: true },
      { anyOf: [{ const: 1 }, { type: 'null' }] },
    ],
    ['nullable: false', { type: 'string', nullable: false }, { type: 'string' }],
    ['an exclusive limit', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['an inclusive limit', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    [
      'binary',
      { type: 'string', format: 'binary' },
      { type: 'string', contentMediaType: 'application/octet-stream' },
    ],
    ['an example', { example: 1 }, { examples: [1] }],
    ['keywords next to a $ref', { $ref: '#/a', nullable: true, title: 'x' }, { $ref: '#/a' }],
  ])('%s', (_, schema, upgraded) => {
    const before = structuredClone(schema);
    expect(upgrade(schema, true)).toEqual(upgraded);
    expect(schema).toEqual(before);
  });
});

describe('upgrade in 3.1', () => {
  it('reads the keyword of 3.0 in 3.1, because documents still use it', () => {
    expect(upgrade({ type: 'string', nullable: true }, false)).toEqual({
      type: ['string', 'null'],
    });
  });
});
