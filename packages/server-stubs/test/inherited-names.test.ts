import { expect, test } from 'vitest';
import { loadGenerated } from './corpus/generated.ts';

// Body properties named like members of every object.
const NAMES = ['constructor', 'toString', 'valueOf'];
const OPTIONAL = 'hasOwnProperty';

const schema = {
  type: 'object',
  required: NAMES,
  properties: Object.fromEntries([...NAMES, OPTIONAL].map((name) => [name, { type: 'string' }])),
  additionalProperties: false,
};
const requestBody = { content: { 'application/json': { schema } } };
const { table } = await loadGenerated({
  openapi: '3.1.0',
  paths: { '/': { post: { operationId: 'post', requestBody } } },
});
const validate = table.routes[0]?.body?.content[0]?.validate as (body: unknown) => boolean;

const whole = () => JSON.parse(`{${NAMES.map((name) => `"${name}":"a"`).join()}}`);

test('a body with all required properties is valid', () => {
  expect(validate(whole())).toBe(true);
  expect(validate({ ...whole(), [OPTIONAL]: 'a' })).toBe(true);
});

test.each(NAMES)('a body without %s is refused', (name) => {
  const body = whole();
  delete body[name];
  expect(validate(body)).toBe(false);
});

test.each([...NAMES, OPTIONAL])('a body with %s of another type is refused', (name) => {
  const body = whole();
  Object.defineProperty(body, name, { value: 1, enumerable: true, configurable: true });
  expect(validate(body)).toBe(false);
});
