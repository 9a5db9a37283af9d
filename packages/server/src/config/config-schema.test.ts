import { expect, test } from 'vitest';
import { toJsonSchema } from './config-schema.ts';

const schema = toJsonSchema() as {
  properties: { keys: { items: { properties: { secret: { pattern: string } } } } };
};

const secret = new RegExp(schema.properties.keys.items.properties.secret.pattern, 'u');

test('a key has 32 characters, or refers to a variable that has them', () => {
  expect('k'.repeat(31)).not.toMatch(secret);
  expect('k'.repeat(32)).toMatch(secret);
  expect(['$', '{KEY}'].join('')).toMatch(secret);
});
