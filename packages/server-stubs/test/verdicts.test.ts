import { beforeAll, describe, expect, it } from 'vitest';
import { toViolation } from '../src/runtime/faults.ts';
import type { Validator } from '../src/runtime/index.ts';
import { features } from './corpus/documents.ts';
import { loadGenerated } from './corpus/generated.ts';

let validators: Record<string, Validator | undefined>;
beforeAll(async () => {
  const { table } = await loadGenerated(features);
  const find = (id: string) => table.routes.find(({ operationId }) => operationId === id);
  validators = {
    pet: find('create pet')?.body?.content[0]?.validate,
    petResponse: find('create pet')?.responses[0]?.content[0]?.validate,
    everything: find('judge')?.body?.content[0]?.validate,
    wrapped: find('wrapped')?.body?.content[0]?.validate,
    parameters: find('listPets')?.validateParameters,
  };
});

/** Returns where and why a value is rejected, or `valid`. */
function judge(name: string, value: unknown): string {
  const validate = validators[name];
  if (validate === undefined) throw new Error(`no validator ${name}`);
  if (validate(value)) return 'valid';
  const [error] = validate.errors ?? [];
  return `${error?.instancePath} ${error?.keyword}`;
}

const CAT = { petType: 'cat', name: 'Tom', claws: 18, password: 'x' };

describe('a discriminator', () => {
  it('names the invalid field in the schema for the tag', () => {
    expect(judge('pet', CAT)).toBe('valid');
    expect(judge('pet', { ...CAT, claws: 'many' })).toBe('/claws type');
    expect(judge('pet', { ...CAT, petType: 'dog' })).toBe(' required');
  });

  it('leaves unknown tags to the oneOf, and names them if no choice is valid', () => {
    expect(judge('pet', { ...CAT, petType: 'tiger' })).toBe('valid');
    expect(judge('pet', { ...CAT, petType: 'tiger', bark: true })).toBe('/petType enum');
    expect(judge('pet', { petType: 'tiger' })).toBe('/petType enum');
    expect(judge('pet', { petType: 7 })).toBe('/petType enum');
  });

  it('is named if it is missing, whatever else is', () => {
    const { petType: _, ...untagged } = CAT;
    for (const value of [{}, untagged]) {
      expect(judge('pet', value)).toBe(' required');
      expect(toViolation(validators.pet?.errors, 'body', 'body').message).toBe(
        'body.petType is missing.',
      );
    }
  });
});

it('the keywords of OpenAPI 3.0 have the meaning that they had', async () => {
  const toNullable = (type: string, rest: object) => ({ type, nullable: true, ...rest });
  const properties = {
    without: toNullable('string', { enum: ['a'] }),
    with: toNullable('string', { enum: ['a', null] }),
    number: toNullable('integer', { minimum: 1, exclusiveMinimum: true }),
    any: { nullable: true, allOf: [{ type: 'string' }] },
    reference: { $ref: '#/components/schemas/Text', maxLength: 1 },
  };
  const requestBody = { content: { 'application/json': { schema: { properties } } } };
  const { table } = await loadGenerated({
    openapi: '3.0.3',
    paths: { '/': { post: { operationId: 'post', requestBody } } },
    components: { schemas: { Text: { type: 'string' } } },
  });
  const validate = table.routes[0]?.body?.content[0]?.validate as Validator;
  expect(validate({ reference: 'what is next to $ref is ignored' })).toBe(true);
  expect(validate({ without: null })).toBe(false);
  expect(validate({ with: null, number: null, any: null })).toBe(true);
  expect(validate({ any: 1 })).toBe(false);
  expect([validate({ number: 1 }), validate({ number: 2 })]).toEqual([false, true]);
});

describe('readOnly and writeOnly', () => {
  it('are not required in the direction they are not for', () => {
    expect(judge('pet', CAT)).toBe('valid');
    expect(judge('petResponse', { petType: 'cat', id: 1, name: null, claws: 1 })).toBe('valid');
    expect(judge('petResponse', CAT)).toBe(' required');
  });

  it('are validated if they are sent anyway', () => {
    expect(judge('pet', { ...CAT, id: 1 })).toBe('valid');
    expect(judge('pet', { ...CAT, id: 'one' })).toBe('/id type');
  });
});

describe('what is validated', () => {
  it.each([
    [{ tree: { value: 1, children: [{ value: 'x' }] } }, '/tree/children/0/value type'],
    [{ tuple: ['a', 1, 2] }, '/tuple items'],
    [{ both: { name: 'A' } }, '/both required'],
    [{ exact: { a: 'x', c: 1 } }, '/exact unevaluatedProperties'],
    [{ formats: { email: 'nobody' } }, '/formats/email format'],
    [{ formats: { odd: 'anything' } }, 'valid'],
    [{ 'two words': '𝒳𝒳𝒳𝒳' }, '/two words maxLength'],
    [{ impossible: 1 }, '/impossible false schema'],
  ])('%j: %s', (value, verdict) => {
    expect(judge('everything', value)).toBe(verdict);
  });

  it('is the flat form of a body that may be wrapped, so that errors name the real field', () => {
    expect(judge('wrapped', { name: '' })).toBe('/name minLength');
  });

  it('includes all parameters of an operation', () => {
    expect(judge('parameters', { query: { limit: 5 }, header: {}, cookie: {} })).toBe('valid');
    expect(judge('parameters', { query: { limit: 0 } })).toBe('/query/limit minimum');
    expect(judge('parameters', { query: { where: {} } })).toBe('/query/where required');
    expect(judge('parameters', { header: { 'X-Trace': 'x' } })).toBe('/header/X-Trace type');
  });
});

it('properties named like members of every object are validated like others', async () => {
  const names = ['constructor', 'toString', 'valueOf'];
  const properties = Object.fromEntries(
    [...names, 'hasOwnProperty'].map((name) => [name, { type: 'string' }]),
  );
  const schema = { type: 'object', required: names, properties, additionalProperties: false };
  const requestBody = { content: { 'application/json': { schema } } };
  const { table } = await loadGenerated({
    openapi: '3.1.0',
    paths: { '/': { post: { operationId: 'post', requestBody } } },
  });
  const validate = table.routes[0]?.body?.content[0]?.validate as Validator;
  const toBody = (name: string, value: unknown) =>
    JSON.parse(JSON.stringify({ constructor: 'a', toString: 'a', valueOf: 'a', [name]: value }));
  expect(validate(toBody('hasOwnProperty', 'a'))).toBe(true);
  expect(validate(toBody('hasOwnProperty', 1))).toBe(false);
  for (const name of names) {
    expect([name, validate(toBody(name, 'a'))]).toEqual([name, true]);
    expect([name, validate(toBody(name, 1))]).toEqual([name, false]);
    expect([name, validate(toBody(name, undefined))]).toEqual([name, false]);
  }
});
