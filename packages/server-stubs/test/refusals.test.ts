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

/** What is invalid or not checked, and why. */
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

const path = (text: string) => toDocument({}, { paths: { [text]: { get: {} } } });

describe('what cannot be used is reported by name and place', () => {
  it.each([
    ['#/openapi: Only OpenAPI', { swagger: '2.0' }],
    ['#/openapi: Only OpenAPI', { openapi: '4.0.0' }],
    [`${BODY}: $ref "pet.yaml" points to a target that does not`, body({ $ref: 'pet.yaml' })],
    [`${BODY}: $ref "#/nowhere" points to a target that does not`, body({ $ref: '#/nowhere' })],
    [`${BODY}: $ref "#pet" points to a target that does not exist`, body({ $ref: '#pet' })],
    [`${BODY}: $ref "#/info/toString" points to a target`, body({ $ref: '#/info/toString' })],
    [
      `${BODY}/items/$dynamicRef: A $dynamicRef is not checked`,
      body({ items: { $dynamicRef: '#a' } }),
    ],
    [`${BODY}: Ajv cannot compile this schema: enum must`, body({ enum: [] })],
    [`${BODY}/$schema`, body({ $schema: 'http://json-schema.org/draft-04/schema#' })],
    [`${BODY}/type: "file" is not a type`, body({ type: 'file' })],
    [`${BODY}/pattern: "(" is not a regular expression of JavaScript`, body({ pattern: '(' })],
    [`${BODY}/properties/a/minimum`, body({ properties: { a: { minimum: 'x' } } })],
    [`${BODY}: Expected a schema`, body(3)],
    [`${BODY}: x-berth-unwrap`, body({ 'x-berth-unwrap': 'data' })],
    [
      '#/components/schemas/#~1%: Expected a schema',
      body({ oneOf: [{}], discriminator: { propertyName: 't', mapping: { a: '#/%' } } }),
    ],
    ['#/paths: This document has no operation', toDocument({}, { paths: [] })],
    ['#/paths/~1a/get', toDocument({}, { paths: { '/a': { get: null } } })],
    ['#/paths/~1a~1{b: The path has an unmatched brace', path('/a/{b')],
    ['#/paths/~1a#b: A path has no query and no fragment', path('/a#b')],
    ['#/paths/~1a?b: A path has no query and no fragment', path('/a?b')],
    ['#/paths/a: A path must start with a slash', path('a')],
    ['#/paths/~1{a}~1{a}: The path has {a} twice', path('/{a}/{a}')],
    ['{a} has no parameter', path('/{a}')],
    [
      '#/paths/~1a/get/parameters/1: This parameter is listed twice',
      toDocument({ parameters: [QUERY, QUERY] }),
    ],
    ['#/paths/~1a/get/parameters/0/in', query({}, { in: 'body' })],
    ['#/paths/~1a/get/parameters/0/style', query({}, { style: 'matrix' })],
    ['#/paths/~1a/get/parameters/0/schema: The path has no {q}', query({}, { in: 'path' })],
    [
      '#/paths/~1a/get/parameters/0/content: A parameter can have only one media type.',
      toDocument({ parameters: [{ name: 'q', in: 'query', content: { a: {}, b: {} } }] }),
    ],
    ['#/paths/~1a/get/responses/OK', toDocument({ responses: { OK: {} } })],
    ['#/paths/~1a/get/security/0/x', toDocument({ security: [{ x: [] }] })],
    ['#/paths/~1a/get/security: Expected a list of objects.', toDocument({ security: { x: [] } })],
    ['#/paths/~1a/get/requestBody', toDocument({ requestBody: {} })],
    [
      '#/components/securitySchemes/x',
      toDocument({}, { components: { securitySchemes: { x: { type: 'magic' } } } }),
    ],
  ])('%s', (text, document) => {
    expect(problems(document).join('\n')).toContain(text);
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

  it('operations that share an id or a route', () => {
    const operation = { operationId: 'same', responses: { 200: {} } };
    const id = (name: string) => ({ name, in: 'path', required: true, schema: {} });
    const document = toDocument(
      {},
      {
        paths: {
          '/{a}': { get: { ...operation, parameters: [id('a')] } },
          '/{b}': { get: { responses: {}, parameters: [id('b')] } },
          '/c': { get: operation },
        },
      },
    );
    expect(problems(document)).toEqual([
      '#/paths/~1{b}/get: This path matches the same requests as #/paths/~1{a}/get.',
      '#/paths/~1c/get/operationId: operationId same is also used by #/paths/~1{a}/get. Give each operation its own ID.',
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
});
