import { describe, expect, it } from 'vitest';
import { upgrade, withoutNullable } from './normalise.ts';

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
    ['what stands beside a $ref', { $ref: '#/a', nullable: true, title: 'x' }, { $ref: '#/a' }],
  ])('%s', (_, schema, upgraded) => {
    const before = structuredClone(schema);
    expect(upgrade(schema)).toEqual(upgraded);
    expect(schema).toEqual(before);
  });
});

describe('withoutNullable', () => {
  it('reads the keyword of 3.0 in 3.1, where documents still have it', () => {
    expect(withoutNullable({ type: 'string', nullable: true })).toEqual({
      type: ['string', 'null'],
    });
  });
});
