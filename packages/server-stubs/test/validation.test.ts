import { expect, it } from 'vitest';
import { loadRoutes } from '../generator/document.ts';
import type { Validator } from '../src/runtime/index.ts';
import { toViolation } from '../src/runtime/portable/validation.ts';
import { features } from './corpus/documents.ts';
import { loadGenerated } from './corpus/generated.ts';

it('operations are served below the path of their server, with their own security and parameters', async () => {
  const { routes } = (await loadGenerated(features)).table;
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/pets',
    'POST /api/v1/pets',
    'PUT /files/pets/{id}/files/{path}',
    'POST /api/v1/forms',
    'POST /api/v1/wrapped',
    'POST /api/v1/proxy/{rest}',
    'POST /api/v1/proxy/{one}',
    'POST /api/v1/schemas',
  ]);
  const alternatives = routes.slice(0, 3).map(({ security }) => security);
  expect(alternatives).toEqual([[['bearer']], [['bearer', 'key'], ['bearer'], []], []]);
  const headers = routes.map((route) => route.parameters.find((each) => each.in === 'header'));
  expect(headers.slice(0, 2)).toMatchObject([{ types: ['integer'] }, { types: ['string'] }]);
});

const info = { title: 'T', version: '1' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Compiles the schema of a request, in advance and at run time. */
async function compileBody(schema: object, schemas: object = {}, openapi = '3.1.0') {
  const requestBody = { content: { 'application/json': { schema } } };
  const paths = { '/': { post: { operationId: 'post', requestBody, responses: {} } } };
  const document = { openapi, info, paths, components: { schemas } };
  const tables = [(await loadGenerated(document)).table, (await loadRoutes(document)).routes];
  const [inAdvance, atRunTime] = tables.map(
    ({ routes }) => routes[0]?.body?.content[0]?.validate as Validator,
  );
  const validate: Validator = (value) => {
    const results = [inAdvance, atRunTime].map((each) => each?.(value));
    expect(results[1]).toBe(results[0]);
    expect(atRunTime?.errors).toEqual(inAdvance?.errors);
    validate.errors = inAdvance?.errors ?? null;
    return results[0] === true;
  };
  return validate;
}

function violationOf(validate: Validator, value: unknown): string {
  expect(validate(value)).toBe(false);
  return toViolation(value, validate.errors, 'body').message;
}

it.each([
  ['one schema', (pet: object) => pet],
  ['an allOf', (pet: object) => ({ allOf: [pet] })],
])('a discriminator of constants leads to the invalid field of %s', async (_, toSchema) => {
  const toPet = (tag: string, field: string) =>
    toSchema({
      type: 'object',
      required: ['tag', field],
      properties: { tag: { const: tag }, [field]: { type: 'integer' } },
    });
  const validate = await compileBody(
    { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'tag' } },
    { Cat: toPet('cat', 'claws'), Dog: toPet('dog', 'bark') },
  );
  const reasonOf = (value: unknown) => violationOf(validate, value);
  expect(validate({ tag: 'cat', claws: 1 })).toBe(true);
  expect(reasonOf({ tag: 'cat', claws: 'x' })).toBe('body.claws must be an integer, got a string.');
  expect(reasonOf({ tag: 'tiger' })).toBe('body.tag must be a documented value.');
  expect(reasonOf({})).toBe('body.tag is missing.');
  expect(toViolation({}, validate.errors, 'body').pointer).toBe('/tag');
  expect(reasonOf('cat')).toBe('body must be an object, got a string.');
});

it('the keywords of OpenAPI 3.0 have the meaning that they had', async () => {
  const text = ref('Text');
  const nullable = true;
  const properties = {
    without: { type: 'string', nullable, enum: ['a'] },
    with: { type: 'string', nullable, enum: ['a', null] },
    number: { type: 'integer', nullable, minimum: 1, exclusiveMinimum: true },
    all: { nullable, allOf: [{ type: 'string' }] },
    one: { nullable, oneOf: [{ type: 'string' }, { type: 'boolean' }] },
    both: { nullable, oneOf: [{ type: 'string', nullable }, { type: 'boolean' }] },
    nested: { nullable, oneOf: [{ nullable, anyOf: [text] }, { type: 'boolean' }] },
    untyped: { nullable, oneOf: [{ minimum: 1 }, text] },
    reference: { ...text, nullable },
    siblings: { ...text, maxLength: 1 },
    bytes: { type: 'string', format: 'byte' },
    binary: { type: 'string', format: 'binary' },
  };
  const validate = await compileBody({ properties }, { Text: { type: 'string' } }, '3.0.3');
  expect(validate({ siblings: 'what is next to $ref is ignored' })).toBe(true);
  const names = ['with', 'number', 'all', 'one', 'both', 'nested', 'untyped', 'reference'];
  expect(names.filter((name) => !validate({ [name]: null }))).toEqual([]);
  expect(validate({ bytes: 'YQ==', binary: '', number: 2 })).toBe(true);
  const invalid = { without: null, all: 1, one: 1, bytes: '!', binary: 1, number: 1, reference: 1 };
  const accepted = Object.entries(invalid).filter(([name, value]) => validate({ [name]: value }));
  expect(accepted).toEqual([]);
});

it('a value is only text or a number if its type says so, whatever its fields and content are', async () => {
  const properties = { a: { type: 'number' }, b: { const: { c: 1 } }, d: { uniqueItems: true } };
  const validate = await compileBody({ properties });
  const reasonOf = (text: string) => violationOf(validate, JSON.parse(text));
  const crafted = '{"toString":1,"valueOf":1}';
  expect(reasonOf(`{"a":${crafted}}`)).toBe('body.a must be a number, got an object.');
  expect(reasonOf('{"a":"Infinity"}')).toBe('body.a must be a number, got a string.');
  expect(reasonOf(`{"b":${crafted}}`)).toBe('body.b must be {"c":1}.');
  expect(reasonOf(`{"d":[${crafted},${crafted}]}`)).toMatch(/^body\.d must not have dup/);
  const text = `{"b":{"c":1},"d":[${crafted},{"toString":1,"valueOf":2},[],{}]}`;
  expect(validate(JSON.parse(text))).toBe(true);
});

it('a message lists the allowed values, and is short whatever the document or the request contains', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `v${index}`);
  const validate = await compileBody({
    properties: { few: { enum: ['a', 1, null] }, many: { enum: names } },
    additionalProperties: false,
    dependentRequired: { few: ['many'] },
  });
  const reasonOf = (value: unknown) => violationOf(validate, value);
  expect(reasonOf({ few: 'b' })).toBe('body.few must be one of "a", 1, null.');
  expect(reasonOf({ few: 1 })).toBe('body.many is missing, although few is present.');
  expect(reasonOf({ many: 'b' })).toMatch(
    /^body.many must be one of "v0", .*"v19", … \(1000 values\)\.$/,
  );
  expect(reasonOf({ ['x'.repeat(100_000)]: 1 }).length).toBeLessThan(1100);
});

const EITHER = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
// `JSON.parse` reads -1e999 as -Infinity.
const NUMBER = { type: 'number' };
const ONE = { oneOf: [{ required: ['claws'] }, { required: ['bark'] }] };
const TWO = { oneOf: [{ maximum: 1 }, { minimum: 1 }, { minimum: 2 }] };
const NULLABLE = { anyOf: [ref('Pet'), { type: 'null' }] };
const PET = { type: 'object', properties: { name: { type: 'string' }, friend: NULLABLE } };
const PREFIX = { anyOf: [{ properties: { ab: NUMBER } }, { properties: { a: EITHER } }] };
const NAMES = { properties: { map: { propertyNames: { pattern: '^x-' } } } };

it.each<[schema: object, value: unknown, message: string]>([
  [EITHER, true, 'body must match a schema in anyOf.'],
  [ONE, { brak: true }, 'body must match exactly one schema in oneOf.'],
  [{ contains: { const: 3 } }, [1], 'body must contain at least 1 valid item(s).'],
  [NAMES, { map: { bad: 1 } }, 'body.map must not contain the property bad.'],
  [{ if: false, else: EITHER }, true, 'body must match a schema in anyOf.'],
  [NULLABLE, { name: 1 }, 'body.name must be a string, got a number.'],
  [NULLABLE, { friend: { name: 1 } }, 'body.friend.name must be a string, got a number.'],
  [NULLABLE, { friend: 1 }, 'body.friend must match a schema in anyOf.'],
  [PREFIX, { a: true, ab: '1' }, 'body must match a schema in anyOf.'],
  [TWO, 3, 'body must match exactly one schema in oneOf.'],
  [NUMBER, -Infinity, 'body must be a number, got a number that is out of range.'],
])('the message for %j and %j says what must change', async (schema, value, message) => {
  expect(violationOf(await compileBody(schema, { Pet: PET }), value)).toBe(message);
});

it('decimals are multiples of decimals', async () => {
  const properties = { a: { multipleOf: 0.01 }, b: { multipleOf: 2.5 } };
  const validate = await compileBody({ properties });
  const isValid = (a: number) => validate({ a });
  const multiples = [143.48, 19.99, 0.07, 4.35, 1, 1070468.14, 123456789.01];
  expect(multiples.filter(isValid)).toEqual(multiples);
  expect([0.005, 19.999, 143.481, 1070468.141].filter(isValid)).toEqual([]);
  expect([validate({ b: 7.5 }), validate({ b: 7 })]).toEqual([true, false]);
});

it.each([
  JSON.parse('{ "if": { "required": ["kind"] }, "then": { "required": ["id"] } }'),
  { if: { required: ['id'] }, else: { required: ['id'] } },
  { dependentSchemas: { kind: { required: ['id'] } } },
  { dependentRequired: { kind: ['id'] } },
])('readOnly properties are not required by %j', async (condition) => {
  const properties = { id: { readOnly: true }, kind: {} };
  const validate = await compileBody({ properties, ...condition });
  expect(validate({ kind: 'x' })).toBe(true);
});

it('a condition still finds readOnly properties', async () => {
  const properties = { id: { readOnly: true } };
  const withId = { required: ['id'] };
  const absent = await compileBody({ properties, not: withId });
  expect([{}, { id: 1 }].map((value) => absent(value))).toEqual([true, false]);
  const named = await compileBody({ properties, if: withId, else: { required: ['name'] } });
  expect([{}, { id: 1 }].map((value) => named(value))).toEqual([false, true]);
});

it('readOnly and writeOnly are not required in the other direction, and validated if they are sent', async () => {
  const { table } = await loadGenerated(features);
  const create = table.routes.find(({ operationId }) => operationId === 'create pet');
  const bodies = [create?.body, create?.responses[0]];
  const [request, response] = bodies.map((body) => body?.content[0]?.validate);
  const cat = { petType: 'cat', name: 'Tom', claws: 18 };
  expect(request?.({ ...cat, password: 'x' })).toBe(true);
  expect(request?.({ ...cat, password: 'x', id: 'one' })).toBe(false);
  expect(response?.({ ...cat, id: 1 })).toBe(true);
  expect(response?.({ ...cat, password: 'x' })).toBe(false);

  const entity = { required: ['id'], properties: { id: ref('Id') } };
  const schemas = { Id: { type: 'integer', readOnly: true }, Entity: entity };
  const item = {
    allOf: [ref('Entity'), { required: ['n', 'id'] }],
    properties: { n: { type: 'integer' } },
  };
  const validate = await compileBody({ type: 'array', items: item }, schemas);
  expect(validate([{ n: 1 }])).toBe(true);
  expect([validate([{}]), validate([{ n: 1, id: 'x' }])]).toEqual([false, false]);
});

it('schemas that refer to each other are compiled, whichever comes first', async () => {
  const schemas = { A: { properties: { b: ref('B') } }, B: { properties: { a: ref('A') } } };
  const content = (name: string) => ({ content: { 'application/json': { schema: ref(name) } } });
  const post = { operationId: 'post', requestBody: content('B'), responses: {} };
  const put = { operationId: 'put', requestBody: content('A'), responses: {} };
  const paths = { '/': { post, put } };
  const { table } = await loadGenerated({ openapi: '3.1.0', info, paths, components: { schemas } });
  const [first, second] = table.routes.map(({ body }) => body?.content[0]?.validate);
  expect([first?.({ b: { a: 1 } }), second?.({ a: { b: 1 } })]).toEqual([true, true]);
});

it('properties named like members of every object are validated like others', async () => {
  const names = ['constructor', 'toString', 'valueOf'];
  const typed = [...names, 'hasOwnProperty'].map((name) => [name, { type: 'string' }]);
  const properties = Object.fromEntries(typed);
  const schema = { type: 'object', required: names, properties, additionalProperties: false };
  const validate = await compileBody(schema);
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
