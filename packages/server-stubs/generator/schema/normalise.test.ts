import { describe, expect, it } from 'vitest';
import { toUnicodePattern, upgrade, withoutNullable } from './normalise.ts';

describe('toUnicodePattern', () => {
  it.each([
    ['^[a-z]+$', '^[a-z]+$'],
    [String.raw`^a\-b\_\@$`, '^a-b_@$'],
    [String.raw`[\w\-]`, String.raw`[\w\-]`],
    [String.raw`^\d{2}-\{x\}$`, String.raw`^\d{2}-\{x\}$`],
    ['^{a}{2,3}]$', String.raw`^\{a\}{2,3}\]$`],
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

  it.each(['(', '[', 'a**', '(?<a'])('returns undefined for %s', (pattern) => {
    expect(toUnicodePattern(pattern)).toBeUndefined();
  });
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
    ['nullable of anything', { nullable: true }, {}],
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
    expect(upgrade(schema)).toEqual(upgraded);
    expect(schema).toEqual(before);
  });
});

describe('withoutNullable', () => {
  it('supports the 3.0 keyword in 3.1, because documents still use it', () => {
    expect(withoutNullable({ type: 'string', nullable: true })).toEqual({
      type: ['string', 'null'],
    });
  });
});
