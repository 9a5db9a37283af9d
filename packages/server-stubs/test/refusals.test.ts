import { describe, expect, it } from 'vitest';
import { type Problem, RefusedError } from '../generator/document.ts';
import { generate } from '../generator/generate.ts';

/** Creates a document with one operation, parts of which can be replaced. */
const toDocument = (operation: object, rest: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/a': { get: { operationId: 'a', responses: { 200: {} }, ...operation } } },
  ...rest,
});

/** What is left out or not checked, and why. */
function problems(document: unknown): string[] {
  const toText = ({ pointer, message }: Problem) => `${pointer}: ${message}`;
  try {
    return generate(document).warnings.map(toText);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return error.problems.map(toText);
  }
}

const query = (schema: object, rest: object = {}) =>
  toDocument({ parameters: [{ name: 'q', in: 'query', schema, ...rest }] });
const body = (schema: unknown) =>
  toDocument({ requestBody: { content: { 'application/json': { schema } } } });
const QUERY = { name: 'q', in: 'query', schema: {} };
const BODY = '#/paths/~1a/get/requestBody/content/application~1json/schema';

describe('what cannot be used is reported by name and place', () => {
  it.each([
    ['no OpenAPI', { swagger: '2.0' }, '#/openapi: Only OpenAPI'],
    ['a later OpenAPI', { openapi: '4.0.0' }, '#/openapi: Only OpenAPI'],
    [
      'a $ref to another file',
      body({ $ref: 'pet.yaml' }),
      `${BODY}: $ref "pet.yaml" points to a target that does not exist`,
    ],
    [
      'a $ref to nothing',
      body({ $ref: '#/nowhere' }),
      `${BODY}: $ref "#/nowhere" points to a target that does not exist`,
    ],
    [
      'an anchor that does not exist',
      body({ $ref: '#pet' }),
      `${BODY}: $ref "#pet" points to a target that does not exist`,
    ],
    [
      'a $dynamicRef to several anchors',
      body({
        properties: { a: { $dynamicAnchor: 'a' }, b: { $dynamicAnchor: 'a' } },
        items: { $dynamicRef: '#a' },
      }),
      `${BODY}/items/$dynamicRef: #a may refer to several schemas`,
    ],
    ['an empty enum', body({ enum: [] }), `${BODY}/enum: This enum is empty`],
    [
      'another dialect',
      body({ $schema: 'http://json-schema.org/draft-04/schema#' }),
      `${BODY}/$schema`,
    ],
    ['an unknown type', body({ type: 'file' }), `${BODY}/type: "file" is not a type`],
    [
      'a broken pattern',
      body({ pattern: '(' }),
      `${BODY}/pattern: "(" is not a regular expression of ECMA-262`,
    ],
    [
      'a malformed schema',
      body({ properties: { a: { minimum: 'x' } } }),
      `${BODY}/properties/a/minimum`,
    ],
    ['a schema that is none', body(3), `${BODY}: Expected a schema`],
    [
      'paths that are none',
      toDocument({}, { paths: [] }),
      '#/paths: This document has no operation',
    ],
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
      'a discriminator that leads to nothing',
      body({ oneOf: [{}], discriminator: { propertyName: 't', mapping: { a: '#/%' } } }),
      '#/components/schemas/#~1%: Expected a schema',
    ],
    ['a parameter elsewhere', query({}, { in: 'body' }), '#/paths/~1a/get/parameters/0/in'],
    [
      'a style of another place',
      query({}, { style: 'matrix' }),
      '#/paths/~1a/get/parameters/0/style',
    ],
    [
      'a parameter of two media types',
      toDocument({ parameters: [{ name: 'q', in: 'query', content: { a: {}, b: {} } }] }),
      '#/paths/~1a/get/parameters/0/content: A parameter can have only one media type: only a is read',
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
    ['a path with a fragment', toDocument({}, { paths: { '/a#b': { get: {} } } }), '#/paths/~1a#b'],
    ['a path without a slash', toDocument({}, { paths: { a: { get: {} } } }), '#/paths/a: A path'],
    [
      'a placeholder in the query of a path',
      toDocument({}, { paths: { '/a?b={c}': { get: {} } } }),
      '#/paths/~1a?b={c}: A placeholder in the query',
    ],
    [
      'a placeholder that is there twice',
      toDocument({}, { paths: { '/{a}/{a}': { get: {} } } }),
      '#/paths/~1{a}~1{a}: The path has {a} twice, so one is named a2',
    ],
    [
      'a path parameter that the path does not have',
      query({}, { in: 'path' }),
      '#/paths/~1a/get/parameters/0/schema: The path has no {q}',
    ],
    [
      'security that is not a list',
      toDocument({ security: { x: [] } }),
      '#/paths/~1a/get/security: Expected a list of objects. The operation is left out',
    ],
    [
      'an undeclared placeholder',
      toDocument({}, { paths: { '/{a}': { get: {} } } }),
      '{a} has no parameter',
    ],
    [
      'a security scheme of no known type',
      toDocument({}, { components: { securitySchemes: { x: { type: 'magic' } } } }),
      '#/components/securitySchemes/x',
    ],
  ])('%s', (_, document, text) => {
    expect(problems(document).join('\n')).toContain(text);
    expect(problems(document)).not.toEqual([]);
  });

  it.each([
    ['no paths', { paths: undefined }],
    ['no path', { paths: {} }],
    ['extensions alone', { paths: { 'x-a': {}, '/a': { summary: 'A', 'x-get': {} } } }],
    ['webhooks alone', { paths: undefined, webhooks: { pet: { post: {} } } }],
    ['components alone', { paths: undefined, components: { schemas: { Pet: {} } } }],
  ])('a document with %s, from which nothing could be generated', (_, rest) => {
    expect(problems(toDocument({}, rest))).toEqual([
      '#/paths: This document has no operations. Only operations in paths are generated, not webhooks. Add one, or choose another document.',
    ]);
  });

  it('an operation that cannot be read, without reporting that there are none', () => {
    const document = toDocument({}, { paths: { '/a': { get: null } } });
    expect(problems(document)).toEqual([
      '#/paths/~1a/get: Expected an operation, which must be an object. The operation is left out.',
    ]);
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
          '/c': { get: operation },
        },
      },
    );
    expect(problems(document)).toEqual([
      '#/paths/~1{b}/get: This path matches the same requests as #/paths/~1{a}/get. The operation is left out.',
      '#/paths/~1c/get/operationId: operationId same is also used by #/paths/~1{a}/get, so this operation is named same2. Give each operation its own ID.',
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
    expect(problems(document).map((each) => each.split(': ')[0])).toEqual([
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
    expect(problems(document).map((each) => each.split(': ')[0])).toEqual([
      '#/components/schemas/B',
    ]);
  });

  it('while nothing else is omitted', () => {
    const bad = { $ref: '#/nowhere' };
    const good = { responses: { 200: {} } };
    const content = { 'application/json': bad, 'text/plain': {} };
    const post = {
      requestBody: { content },
      responses: { 200: { headers: { a: bad, b: {} }, content }, 404: bad },
    };
    const { operations, warnings, files } = generate(
      toDocument(
        {},
        { paths: { '/a': { get: { parameters: [bad] }, put: good, post }, '/b': bad } },
      ),
    );
    expect(operations).toHaveLength(2);
    expect(warnings.map(({ message }) => message.split('. ').at(-1))).toEqual([
      'The operation is left out.',
      'The media type is left out.',
      'The header is left out.',
      'The media type is left out.',
      'The response is left out.',
      'The path is left out.',
    ]);
    expect(files.get('routes.gen.ts')).toContain(
      "content: [{ mediaType: 'text/plain', kind: 'text' }]",
    );
  });

  it('but not if it may only be surprising, which is a note', () => {
    const pet = { type: 'object', discriminator: { propertyName: 'kind' } };
    const content = { 'multipart/form-data': { schema: pet } };
    expect(generate(toDocument({ requestBody: { content } })).notes).toMatchObject([
      { message: expect.stringContaining('A discriminator without oneOf or anyOf') },
    ]);
  });

  it('but not if the schema is correct', () => {
    expect(problems(query({ type: 'array', items: { type: 'string' } }))).toEqual([]);
  });
});
