import { expect, test } from 'vitest';
import { toDreddSchema } from './to-dredd-schema.ts';

test('keeps only what Dredd reads', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', pattern: '^x', minLength: 1, example: 'x', 'x-berth-item-pattern': 'y' },
      b: { type: 'array', minItems: 1, items: { $ref: '#/c', description: 'next to a reference' } },
    },
    additionalProperties: true,
  };
  expect(toDreddSchema(schema)).toEqual({
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', example: 'x' },
      b: { type: 'array', items: { $ref: '#/c' } },
    },
  });
});

test('replaces oneOf by its first branch', () => {
  expect(toDreddSchema({ oneOf: [{ $ref: '#/flat' }, { type: 'object' }] })).toEqual({
    $ref: '#/flat',
  });
});
