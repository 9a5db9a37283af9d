import { describe, expect, it } from 'vitest';
import { RefusedError } from '../generator/document.ts';
import { generate } from '../generator/generate.ts';

/** Creates a document with one operation, parts of which can be replaced. */
const toDocument = (operation: object, rest: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/a': { get: { operationId: 'a', responses: { 200: {} }, ...operation } } },
  ...rest,
});

function refusals(document: unknown): string[] {
  try {
    generate(document);
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
  }
}

const query = (schema: object, rest: object = {}) =>
  toDocument({ parameters: [{ name: 'q', in: 'query', schema, ...rest }] });
const body = (schema: unknown) =>
  toDocument({ requestBody: { content: { 'application/json': { schema } } } });
const QUERY = { name: 'q', in: 'query', schema: {} };
const form = (schema: object, rest: object = {}) =>
  toDocument({
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema, ...rest } } },
  });
const FORM = '#/paths/~1a/get/requestBody/content/application~1x-www-form-urlencoded';
const BODY = '#/paths/~1a/get/requestBody/content/application~1json/schema';

describe('documents that cannot be generated are refused, with the location of each problem', () => {
  it.each([
    ['no OpenAPI', { swagger: '2.0' }, '#/openapi: Only OpenAPI'],
    ['a later OpenAPI', { openapi: '4.0.0' }, '#/openapi: Only OpenAPI'],
    [
      'a $ref to another file',
      body({ $ref: 'pet.yaml' }),
      `${BODY}: $ref "pet.yaml" points outside`,
    ],
    [
      'a $ref to nothing',
      body({ $ref: '#/nowhere' }),
      `${BODY}: $ref "#/nowhere" points to nothing`,
    ],
    ['a $ref by anchor', body({ $ref: '#pet' }), `${BODY}: $ref "#pet" is not a JSON Pointer`],
    ['$id', body({ $id: 'pet' }), `${BODY}/$id: $id is not supported`],
    ['$dynamicRef', body({ $dynamicRef: '#a' }), `${BODY}/$dynamicRef: $dynamicRef is not`],
    [
      'another dialect',
      body({ $schema: 'http://json-schema.org/draft-04/schema#' }),
      `${BODY}/$schema`,
    ],
    ['an unknown type', body({ type: 'file' }), `${BODY}/type: "file" is not a type`],
    ['a broken pattern', body({ pattern: '(' }), `${BODY}/pattern: "(" is not a valid ECMA-262`],
    [
      'a malformed schema',
      body({ properties: { a: { minimum: 'x' } } }),
      `${BODY}/properties/a/minimum`,
    ],
    ['a schema that is none', body(3), `${BODY}: Expected a schema`],
    ['paths that are none', toDocument({}, { paths: [] }), '#/paths: Expected paths'],
    [
      'an operation that is none',
      toDocument({}, { paths: { '/a': { get: null } } }),
      '#/paths/~1a/get',
    ],
    [
      'a placeholder that does not end',
      toDocument({}, { paths: { '/a/{b': { get: {} } } }),
      '#/paths/~1a~1{b: The path has an unmatched brace',
    ],
    [
      'a parameter given twice',
      toDocument({ parameters: [QUERY, QUERY] }),
      '#/paths/~1a/get/parameters/1: This parameter is listed twice',
    ],
    [
      'a list in a parameter whose items differ',
      query({ prefixItems: [{ type: 'integer' }, { type: 'string' }], type: 'array' }),
      '#/paths/~1a/get/parameters/0/schema: The items of this list have different types',
    ],
    [
      'an object in a form',
      form({ properties: { a: { type: 'object' } } }),
      `${FORM}/schema/properties/a: A form field must be`,
    ],
    [
      'another style in a form',
      form({}, { encoding: { a: { style: 'pipeDelimited' } } }),
      `${FORM}/encoding/a: Form fields must use`,
    ],
    [
      'a discriminator that leads to nothing',
      body({ oneOf: [{}], discriminator: { propertyName: 't', mapping: { a: '#/%' } } }),
      '#/components/schemas/#~1%: Expected a schema',
    ],
    ['a parameter elsewhere', query({}, { in: 'querystring' }), '#/paths/~1a/get/parameters/0/in'],
    [
      'a style of another place',
      query({}, { style: 'matrix' }),
      '#/paths/~1a/get/parameters/0/style',
    ],
    [
      'a list of objects in a parameter',
      query({ items: { type: 'object' } }),
      'parameters/0/schema',
    ],
    [
      'a list in an object in a parameter',
      query({ properties: { a: { type: 'array' } } }),
      'schema/properties/a',
    ],
    ['an object or a text', query({ type: ['object', 'string'] }), 'is ambiguous as text'],
    [
      'a parameter of two media types',
      query({}, { schema: undefined, content: { a: {}, b: {} } }),
      '',
    ],
    [
      'a status that is none',
      toDocument({ responses: { OK: {} } }),
      '#/paths/~1a/get/responses/OK',
    ],
    [
      'an unknown security scheme',
      toDocument({ security: [{ x: [] }] }),
      '#/paths/~1a/get/security/0/x',
    ],
    [
      'a wrapper without its two forms',
      body({ 'x-berth-unwrap': 'data' }),
      `${BODY}: x-berth-unwrap`,
    ],
    ['a body without content', toDocument({ requestBody: {} }), '#/paths/~1a/get/requestBody'],
    ['a path with a query', toDocument({}, { paths: { '/a?b': { get: {} } } }), '#/paths/~1a?b'],
    [
      'an undeclared placeholder',
      toDocument({}, { paths: { '/{a}': { get: {} } } }),
      '{a} is not declared',
    ],
    [
      'a security scheme of no known type',
      toDocument({}, { components: { securitySchemes: { x: { type: 'magic' } } } }),
      '#/components/securitySchemes/x',
    ],
  ])('%s', (_, document, text) => {
    expect(refusals(document).join('\n')).toContain(text);
    expect(refusals(document)).not.toEqual([]);
  });

  it.each([
    ['no paths', { paths: undefined }],
    ['no path', { paths: {} }],
    ['extensions alone', { paths: { 'x-a': {}, '/a': { summary: 'A', 'x-get': {} } } }],
    ['webhooks alone', { paths: undefined, webhooks: { pet: { post: {} } } }],
    ['components alone', { paths: undefined, components: { schemas: { Pet: {} } } }],
  ])('a document with %s, for which nothing would be generated', (_, rest) => {
    expect(refusals(toDocument({}, rest))).toEqual([
      '#/paths: This document has no operations. Only operations in paths are generated, not webhooks.',
    ]);
  });

  it('an operation that cannot be read, without reporting that there are none', () => {
    const document = toDocument({}, { paths: { '/a': { get: null } } });
    expect(refusals(document)).toEqual(['#/paths/~1a/get: Expected an operation object.']);
  });

  it('operations that share an id or a route', () => {
    const operation = { operationId: 'same', responses: { 200: {} } };
    const id = (name: string) => ({ name, in: 'path', required: true, schema: {} });
    const document = toDocument(
      {},
      {
        paths: {
          '/{a}': { get: { ...operation, parameters: [id('a')] } },
          '/{b}': { get: { ...operation, parameters: [id('b')] } },
        },
      },
    );
    expect(refusals(document)).toEqual([
      '#/paths/~1{b}/get: operationId same is also used by #/paths/~1{a}/get. Rename one of them.',
      '#/paths/~1{b}/get: This path matches the same requests as #/paths/~1{a}/get. Change one of the paths.',
    ]);
  });

  it('all together, each once', () => {
    const schema = { $ref: '#/components/schemas/Bad' };
    const document = {
      ...toDocument({
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 200: { content: { 'application/json': { schema } } } },
        security: [{ x: [] }],
      }),
      components: { schemas: { Bad: { type: 'file' } } },
    };
    expect(refusals(document).map((each) => each.split(': ')[0])).toEqual([
      '#/components/schemas/Bad/type',
      '#/paths/~1a/get/security/0/x',
    ]);
  });

  it('schemas that refer to themselves, whose validation would never end', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      A: { anyOf: [{ type: 'string' }, ref('B')] },
      B: ref('A'),
      Tree: { properties: { children: { items: ref('Tree') } } },
    };
    const document = { ...body({ allOf: [ref('A'), ref('Tree')] }), components: { schemas } };
    expect(refusals(document).map((each) => each.split(': ')[0])).toEqual([
      '#/components/schemas/B',
      '#/components/schemas/A',
    ]);
  });

  it('not if it only may surprise: that is a note', () => {
    const pet = { type: 'object', discriminator: { propertyName: 'kind' } };
    const content = { 'multipart/form-data': { schema: pet } };
    expect(generate(toDocument({ requestBody: { content } })).notes).toMatchObject([
      { message: expect.stringContaining('A discriminator without oneOf or anyOf') },
      { message: expect.stringContaining('Handlers receive multipart bodies as a stream') },
    ]);
  });

  it('not if the schema is correct', () => {
    expect(refusals(query({ type: 'array', items: { type: 'string' } }))).toEqual([]);
  });
});
