import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadRoutes } from '../generator/document.ts';
import { InvalidDocumentError, type Problem } from '../generator/openapi.ts';
import { generateFrom } from './corpus/generated.ts';

const INFO = { title: 'T', version: '1' };

/** Creates a document with one operation, parts of which can be replaced. */
const toDocument = (operation: object, rest: object = {}) => ({
  openapi: '3.1.0',
  info: INFO,
  paths: {
    '/a': {
      parameters: [{ name: 'shared', in: 'query', schema: {} }],
      get: { operationId: 'a', responses: { 200: { description: '' } }, ...operation },
    },
  },
  ...rest,
});

/** What is invalid, or else what is not checked or not served. */
async function findProblems(
  source: string | object,
): Promise<{ isInvalid: boolean; text: string }> {
  const toText = ({ location, pointer, message }: Problem) => `${location} ${pointer}: ${message}`;
  try {
    const { warnings } = await generateFrom(source);
    return { isInvalid: false, text: warnings.map(toText).join('\n') };
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error;
    return { isInvalid: true, text: error.problems.map(toText).join('\n') };
  }
}

const expectProblem = (isInvalid: boolean) => async (text: string, source: string | object) => {
  const problems = await findProblems(source);
  expect(problems).toEqual({ isInvalid, text: expect.stringContaining(text) });
};
const expectInvalid = expectProblem(true);
const expectWarning = expectProblem(false);

const body = (schema: unknown, schemas: object = {}) =>
  toDocument(
    { requestBody: { content: { 'application/json': { schema } } } },
    { components: { schemas } },
  );
const secured = (x: object) =>
  toDocument({ security: [{ x: [] }] }, { components: { securitySchemes: { x } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** @param operations IDs by path */
const paths = (operations: Record<string, string>, parameters: object[] = []) => {
  const responses = { 200: { description: '' } };
  const items = Object.entries(operations).map(([path, operationId]) => {
    return [path, { parameters, get: { operationId, responses } }];
  });
  return toDocument({}, { paths: Object.fromEntries(items) });
};
const SWAGGER_2 = { swagger: '2.0', info: INFO, paths: { '/a': { get: null } } };
const GREEDY = { name: 'rest', in: 'path', required: true, 'x-berth-greedy': true, schema: {} };
const LISTS = {
  type: 'object',
  properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
};
const NULL_DEFAULT = { schema: { type: 'string', default: null } };
const ANIMAL = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] };
const INTEGERS = { type: 'object', additionalProperties: { type: 'integer' } };
const parameter = (value: object) =>
  toDocument({ parameters: [{ name: 'q', in: 'query', ...value }] });
const form = (media: object) =>
  toDocument({ requestBody: { content: { 'application/x-www-form-urlencoded': media } } });
const formOf = (a: object, style?: string, contentType?: string) =>
  form({ schema: { properties: { a } }, encoding: { a: { style, contentType } } });
const TEXT = { content: { 'text/plain': { schema: { type: 'integer' } } } };
const XML = { 'application/xml': { schema: LISTS } };
const BAD = { pattern: '(?i:' };
const CLOSED = { patternProperties: { '(?i:': {} }, properties: { b: { type: 'string' } } };
const BODY = '#/paths/~1a/get/requestBody/content/application~1json/schema';
const A = '#/components/schemas/A';
const LOOP = { A: ref('B'), B: ref('A') };

describe('an invalid document is rejected, with the place and the fix', () => {
  it.each([
    ['document:1:1 #: The version must be "3.1.x"', { openapi: '4.0.0' }],
    ['got 3.1.', { openapi: 3.1 }],
    ['This is not an OpenAPI document: the field openapi is missing.', {}],
    ['resolve $ref: Download it first; URLs are not', body({ $ref: 'https://a.example/b.yaml' })],
    [`${BODY}: Can't resolve $ref. Correct the reference, or add its target.`, body(ref('Pet'))],
    [`${BODY}/type: This is not a valid schema`, body({ type: 'file' })],
    ['This is not a valid schema: must be number.', body({ properties: { a: { minimum: 'x' } } })],
    [`${BODY}/properties/a: This is not`, body({ properties: { a: 'text' } })],
    [`${BODY}/required: This is not`, body({ required: true })],
    ['#/paths/~1b/get/operationId: ', paths({ '/a': 'a', '/b': 'a' })],
    [`document:37:7 ${A}: This reference is circular.`, body(ref('A'), LOOP)],
    [
      `${A}: This reference is`,
      body({}, { A: { anyOf: [{}, ref('B')] }, B: { allOf: [ref('A')] } }),
    ],
    [`${A}: This reference is circular`, body({}, { A: { dependentSchemas: { a: ref('A') } } })],
    ['/200: Expected type `Response` (object) but', toDocument({ responses: { 200: null } })],
    ['document:1:1 #: It cannot be converted to OpenAPI 3.1: ', SWAGGER_2],
  ])('%s', expectInvalid);
});

describe('what openapi-typescript accepts is accepted, with a warning about what is not checked or served', () => {
  it.each([
    [`${BODY}/items/$dynamicRef: A $dynamicRef is not`, body({ items: { $dynamicRef: '#a' } })],
    [`${BODY}/not/$ref: A reference to an $anchor`, body({ not: { $ref: '#a' }, $anchor: 'a' })],
    [`${BODY}/pattern: "(" is not a valid JavaScript regular expression`, body({ pattern: '(' })],
    [`${BODY}/patternProperties: "(" is not`, body({ patternProperties: { '(': {} } })],
    [`${BODY}: This schema is not checked, because it has patternProperties`, body(CLOSED)],
    [`${BODY}/nullable: Property \`nullable\` is not expected here.`, body({ nullable: true })],
    [`${BODY}: Expected type \`Schema\` (object) but got \`null\`.`, body(null)],
    ['#/paths: No operation of this document', toDocument({}, { paths: undefined, webhooks: {} })],
    ['This operation is not served: its path must start with a slash', paths({ '/a/{b': 'a' })],
    ['neither a query', paths({ '/a#b': 'a' })],
    ['a slash in a parameter name', paths({ '/{a/b}': 'a' })],
    ['This operation is not served: its path has a parameter twice.', paths({ '/{a}/{a}': 'a' })],
    ['not served: a matches the same requests.', paths({ '/{a}': 'a', '/{b}': 'b' })],
    ['not served: a matches the same requests.', paths({ '/a b': 'a', '/a%20b': 'b' })],
    ['greedy parameter must be its last segment.', paths({ '/{rest}/b': 'a' }, [GREEDY])],
    ['greedy parameter must be its last segment.', paths({ '/a/{rest}.b': 'a' }, [GREEDY])],
    ['not define the path parameter `{a}` expected by path', paths({ '/{a}': 'a' })],
    ['not checked, because it allows values other than text', toDocument({ requestBody: TEXT })],
    ['/parameters/0/style: The style matrix is not', parameter({ style: 'matrix', schema: {} })],
    ['/parameters/0/schema: The default of query.q is not used', parameter(NULL_DEFAULT)],
    ['/parameters/0/schema: Expected type', parameter({ schema: null })],
    ['but got `null`', parameter({ content: { 'application/json': null } })],
    ['does not allow strings, so this form is not checked.', form({ schema: INTEGERS })],
    ['/encoding/a/style: The style matrix is not supported, so this form is', formOf({}, 'matrix')],
    ['/a: The style deepObject is not supported for this schema', formOf(LISTS, 'deepObject')],
    ['/parameters/0: The media type application/xml is not', parameter({ content: XML })],
    ['/encoding/a: The media type application/xml', formOf(LISTS, undefined, 'application/xml')],
    ['no valid security scheme "x". Define it in', toDocument({ security: [{ x: [] }, {}] })],
    ['there is no valid security scheme "x".', secured({ type: 'apiKey', in: 'header' })],
    ['there is no valid security scheme "x".', secured({ type: 'http' })],
    ['"^\\\\p{L}+$" is not a valid JavaScript regular', body({ pattern: '^\\p{L}+$' })],
    ['"[^\\\\P{L}]" is not a valid JavaScript regular', body({ pattern: '[^\\P{L}]' })],
    [`${BODY}/pattern: "`, body({ pattern: '\\\\\\u{61}' })],
    ['its security must be a list of objects.', toDocument({ security: { x: [] } })],
    ['its security must be a list of objects.', toDocument({ security: 'x' })],
    ['its security must be a list of objects.', toDocument({ security: [null] })],
  ])('%s', expectWarning);

  it.each(['oneOf', 'anyOf'])('a discriminator of %s without constants', async (keyword) => {
    const schema = { [keyword]: [ref('Cat')], discriminator: { propertyName: 'kind' } };
    const fix = 'Use oneOf, with objects that each require a const or enum for it.';
    const text = `${BODY}/discriminator: The values of "kind" are not checked. ${fix}`;
    await expectWarning(text, body(schema, { Cat: ANIMAL }));
  });

  it.each(['3.0.4', '3.1.1'])('not a nullable discriminator in %s', async (openapi) => {
    const toAnimal = (kind: string) => {
      return { ...ANIMAL, properties: { kind: { type: 'string', enum: [kind] } } };
    };
    const discriminator = { propertyName: 'kind' };
    const pets = [ref('Cat'), ref('Dog')];
    const schema =
      openapi === '3.0.4'
        ? { oneOf: pets, nullable: true, discriminator }
        : { oneOf: [...pets, { type: 'null' }], discriminator };
    const document = body(schema, { Cat: toAnimal('cat'), Dog: toAnimal('dog') });
    const problems = await findProblems({ ...document, openapi });
    expect(problems).toEqual({ isInvalid: false, text: '' });
  });

  it.each([
    ['form', 'query', { explode: false, schema: { type: 'object', properties: { a: {} } } }],
    ['form', 'query', { schema: { type: 'object' } }],
    ['simple', 'header', { in: 'header', schema: { type: 'object' } }],
    ['form', 'query', { schema: LISTS }],
    ['deepObject', 'query', { style: 'deepObject', schema: LISTS }],
    ['deepObject', 'query', { style: 'deepObject', schema: INTEGERS }],
    ['form', 'query', { schema: { type: 'array', items: LISTS } }],
    ['form', 'query', { schema: { type: 'array', prefixItems: [{ type: 'string' }] } }],
    ['deepObject', 'query', { style: 'deepObject', schema: { type: ['object', 'integer'] } }],
  ])('the style %s in the %s: %j', async (style, place, value) => {
    const problem = `The style ${style} is not supported for this schema`;
    const text = `/parameters/0: ${problem}, so ${place}.q is not checked.`;
    await expectWarning(text, parameter(value));
  });
});

it('operations without an ID get one, even in shared path items, and all have the base path of the server', async () => {
  const get = { responses: { 200: { description: '' } } };
  const shared = { $ref: '#/components/pathItems/C' };
  // A variable without a default matches any segment.
  const { routes, files } = await generateFrom({
    ...toDocument({}, { servers: [{ url: '//api.example.com/v1/{tenant}' }] }),
    paths: {
      'x-note': { get },
      '/a': { get: { ...get, operationId: 'getAB' } },
      '/a/{b}': { get },
      '/c': shared,
      '/d': shared,
      '/e': { servers: [{ url: '../v1/./' }], get: { ...get, operationId: 'C' } },
    },
    components: { pathItems: { C: { get: { ...get, operationId: 'c' } } } },
  });
  expect(routes.map(({ operationId, path }) => `${operationId} ${path}`)).toEqual([
    'getAB /v1/{tenant}/a',
    'getAB2 /v1/{tenant}/a/{b}',
    'c /v1/{tenant}/c',
    'getD /v1/{tenant}/d',
    'C /v1/e',
  ]);
  expect(files.get('types.gen.ts')?.match(/^ {4}c: /gm)).toHaveLength(1);
});

it.each(['default', 'schema', 'x-body'])('a component may be named %s', async (name) => {
  const schema = { nullable: true, oneOf: [{ type: 'string' }] };
  const requestBodies = { [name]: { content: { 'application/json': { schema } } } };
  const requestBody = { $ref: `#/components/requestBodies/${name}` };
  const rest = { openapi: '3.0.3', components: { requestBodies } };
  const { routes } = await loadRoutes(toDocument({ requestBody }, rest));
  const [content] = routes.routes[0]?.body?.content ?? [];
  expect([null, 'a', 1].map((value) => content?.validate?.(value))).toEqual([true, true, false]);
});

it.each<[schema: object, valid: unknown, invalid?: unknown]>([
  [{ type: 'string', not: BAD }, 'a'],
  [{ not: ref('Bad') }, 'a'],
  [{ if: { not: BAD }, else: false, minLength: 1 }, 'a'],
  [{ not: { required: ['b'] }, properties: { a: BAD } }, { a: 1 }],
  [{ oneOf: [BAD, { type: 'string' }], minLength: 1 }, 'a'],
  [{ contains: BAD, maxContains: 1, maxItems: 2 }, ['a', 'b']],
  [{ ...CLOSED, additionalProperties: false }, { a: 1 }],
  [{ allOf: [CLOSED], unevaluatedProperties: false }, { a: 1 }],
  [{ properties: { a: BAD }, additionalProperties: false }, { a: 'a' }, { c: 1 }],
  [{ allOf: [ref('Bad'), { maxLength: 1 }] }, 'a', 'aa'],
  [{ required: ['a', 'a'] }, { a: 1 }, {}],
  [{ anyOf: [BAD, { type: 'array' }], items: { type: 'integer' } }, 'a', ['a']],
])('what is not checked in %j makes nothing invalid', async (schema, valid, invalid) => {
  const properties = { x: schema, y: { type: 'integer' } };
  const { routes } = await loadRoutes(body({ properties }, { Bad: { allOf: [BAD] } }));
  const validate = routes.routes[0]?.body?.content[0]?.validate;
  expect(validate?.({ x: valid, y: 1 })).toBe(true);
  expect(validate?.({ y: 'a' })).toBe(false);
  if (invalid !== undefined) expect(validate?.({ x: invalid })).toBe(false);
});

it('text that may be null is checked as text', async () => {
  const schema = { type: ['string', 'null'], maxLength: 2 };
  const document = toDocument({ requestBody: { content: { 'text/plain': { schema } } } });
  const { routes } = await loadRoutes(document);
  const validate = routes.routes[0]?.body?.content[0]?.validate;
  expect([validate?.('ab'), validate?.('abc')]).toEqual([true, false]);
});

it('references into paths with similar names have types of their own', async () => {
  const typed = (operationId: string, type: string, target: string) => {
    const of = (schema: object) => ({ content: { 'application/json': { schema } } });
    const $ref = `#/paths/~1${target}/get/responses/200/content/application~1json/schema`;
    return { get: { operationId, requestBody: of({ $ref }), responses: { 200: of({ type }) } } };
  };
  const paths = { '/a-b': typed('a', 'string', 'a_b'), '/a_b': typed('b', 'number', 'a-b') };
  const { files } = await generateFrom(toDocument({}, { paths }));
  const types = files.get('types.gen.ts') ?? '';
  const names = [...types.matchAll(/"application\/json": components\["schemas"\]\[("[^"]+")\]/g)];
  const typeOf = (name = '') => types.split(`${name}: `)[1]?.split(';')[0];
  expect(names.map(([, name]) => typeOf(name))).toEqual(['number', 'string']);
});

/** Schemas, each of which contains a reference to the next one. The last is an integer. */
const chain = (length: number, toSchema: (next: object) => object) =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => {
      const isLast = index === length - 1;
      return [`S${index}`, isLast ? { type: 'integer' } : toSchema(ref(`S${index + 1}`))];
    }),
  );

// How deep Redocly's recursion can go depends on what V8 has optimized so far: 1,000 is too much now and then.
it('a chain of 500 schemas is compiled', async () => {
  const schemas = chain(500, (next) => ({ properties: { next } }));
  const { routes } = await loadRoutes(body(ref('S0'), schemas));
  expect(routes.routes[0]?.body?.content[0]?.validate?.({ next: { next: {} } })).toBe(true);
});

it.each(['allOf', 'anyOf', 'oneOf'])('40 levels of %s with two references', async (keyword) => {
  const schemas = chain(41, (next) => ({ nullable: true, [keyword]: [next, next] }));
  const document = { ...parameter({ schema: ref('S0') }), openapi: '3.0.4' };
  const { routes } = await generateFrom({ ...document, components: { schemas } });
  expect(routes[0]?.parameters[0]?.types).toContain('integer');
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-load-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const SYNTAX = '#: This is not valid JSON or YAML:';
  const HEAD = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n";

  it.each([
    ['', 'api.yaml:1:1 #: This is not an OpenAPI document'],
    ['openapi: 3.1.0\ninfo: {', `api.yaml:3:1 ${SYNTAX} unexpected end`],
    ['openapi: 3.1.0\nopenapi: 3.0.0', `api.yaml:2:1 ${SYNTAX} duplicated mapping key`],
    [`${HEAD}components: { schemas: { A: &a { not: *a } } }`, 'A YAML alias is recursive or too'],
    [`${HEAD}paths: { /a: { get: { $ref: b.yaml } } }`, 'api.yaml:3:21 #/paths/~1a/get'],
  ])('%j is rejected', async (text, message) => {
    await expectInvalid(message, await write('api.yaml', text));
  });

  it('a file that cannot be read is rejected', async () => {
    const reasons = {
      './nope.yaml': ' does not exist: check the path.',
      [folder]: ' cannot be read: Expected a file but received a folder',
      'https://a.example/a.yaml': ' cannot be read: Download it first; URLs are not loaded.',
    };
    for (const [name, reason] of Object.entries(reasons)) {
      const error = await generateFrom(name).catch((error) => error);
      expect(error).toBeInstanceOf(InvalidDocumentError);
      expect(error.message).toContain(name + reason);
    }
  });

  it('several files make one document', async () => {
    await mkdir(join(folder, 'deep'));
    await write(
      'pet.yaml',
      'type: object\nproperties:\n  name: { $ref: "deep/name.yaml#/Name" }\n',
    );
    await write('deep/name.yaml', "Name:\n  type: string\n  maxLength: 7\n  pattern: '('\n");
    const schema =
      "{ description: '', content: { application/json: { schema: { $ref: pet.yaml } } } }";
    const file = await write(
      'api.yaml',
      `${HEAD}paths: { /a: { get: { responses: { '200': ${schema} } } } }`,
    );
    const { files, warnings } = await generateFrom(file);
    expect(files.get('response-validators.gen.ts')).toContain('> 7');
    // What comes from another file has a pointer into the bundle.
    expect(warnings).toMatchObject([
      { location: `${file}:1:1`, pointer: '#/components/schemas/Name/pattern' },
    ]);
    const parts = ['api.yaml', 'pet.yaml', 'deep/name.yaml'];
    const read: string[] = [];
    await loadRoutes(file, (path) => read.push(path));
    expect(read).toEqual(parts.map((name) => join(folder, name)));
  });

  it('a circular reference across files is rejected', async () => {
    const content = "content: { application/json: { schema: { $ref: 'a.yaml' } } }";
    const text = `${HEAD}paths: { /a: { get: { responses: { '200': { description: '', ${content} } } } } }`;
    await write('a.yaml', "anyOf: [{ type: string }, { $ref: 'b.yaml' }]");
    await write('b.yaml', "allOf: [{ $ref: 'a.yaml' }]");
    const problem = 'api.yaml:1:1 #/components/schemas/a: This reference is circular.';
    await expectInvalid(problem, await write('api.yaml', text));
  });

  it('a warning of a Swagger 2.0 document has its place in the file', async () => {
    const file = await write(
      'api.yaml',
      `swagger: '2.0'
info: { title: T, version: '1' }
paths:
  /a:
    get:
      parameters: [{ in: query, name: q, type: array, items: { type: string }, collectionFormat: tsv }]
      responses: { '200': { description: '', schema: { $ref: '#/definitions/A' } } }
definitions:
  A: { type: string, pattern: '(' }
`,
    );
    const { text } = await findProblems(file);
    expect(text).toContain('api.yaml:9:22 #/components/schemas/A/pattern');
    expect(text).toContain('The style tsv is not supported, so query.q');
  });
});
