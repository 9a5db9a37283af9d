import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPrism } from '../src/contract/oracle/create-oracle.ts';
import { getHttpOperationsFromSpec } from '../src/contract/oracle/prism.ts';
import { createJudge } from '../src/services/documents/judge.ts';

const parameter = (name: string, place: string, schema: object, more: object = {}) => ({
  ...{ name, in: place, required: place === 'path', schema },
  ...more,
});

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Judged', version: '1' },
  paths: {
    '/a/{id}': {
      post: {
        parameters: [
          parameter('id', 'path', { type: 'integer', minimum: 2 }),
          parameter('Flag', 'query', { type: 'boolean' }, { required: true }),
          parameter(
            'list',
            'query',
            { type: 'array', maxItems: 2, items: { type: 'number' } },
            { explode: true },
          ),
          parameter('size', 'query', { type: 'string', enum: ['s', 'm'] }),
          parameter('deep', 'query', { type: 'object' }, { style: 'deepObject' }),
          parameter('X-Count', 'header', { type: 'integer' }),
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                additionalProperties: false,
                properties: {
                  name: { type: 'string', maxLength: 2 },
                  tags: { type: 'array', items: { type: ['string', 'null'] } },
                  key: { type: 'integer', readOnly: true },
                },
              },
            },
          },
        },
        responses: { 200: { description: 'ok' } },
      },
    },
  },
};

const text = fc.constantFrom('', '1', '2', '2.5', 'true', 's', 'x', 'a b', '1,2', 'null');
const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text));
/** Mostly valid values, so that all of a request may be valid. */
const mostly = <Valid, Other>(valid: fc.Arbitrary<Valid>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ arbitrary: valid, weight: 9 }, { arbitrary: other, weight: 1 });
const maybe = <Valid>(valid: fc.Arbitrary<Valid>) =>
  mostly(fc.option(valid, { nil: undefined }), fc.oneof(text, fc.array(text, { minLength: 2 })));
const number = fc.constantFrom('2', '3', '40');

const request = fc.record({
  id: mostly(
    number,
    text.filter((id) => id !== ''),
  ),
  query: fc
    .record({
      Flag: mostly(fc.constantFrom('true', 'false'), maybe(text)),
      list: maybe(fc.oneof(number, fc.tuple(number, number))),
      size: maybe(fc.constantFrom('s', 'm')),
      deep: mostly(fc.constant(undefined), text),
      other: maybe(text),
    })
    .map((query) => JSON.parse(JSON.stringify(query))),
  count: mostly(fc.constantFrom('1', undefined), text),
  type: mostly(
    fc.constantFrom('application/json', 'application/json; charset=utf-8'),
    fc.constantFrom('text/plain', undefined),
  ),
  body: mostly(
    fc.record({ name: fc.constantFrom('a', 'ab'), tags: fc.array(fc.constantFrom('a', null)) }),
    fc.oneof(
      fc.constant(undefined),
      value,
      fc.dictionary(fc.constantFrom('name', 'tags', 'key', 'other'), value),
    ),
  ),
});

test('accepts no request that Prism rejects, and many that it accepts', async () => {
  const prism = createPrism();
  const [resource] = (await getHttpOperationsFromSpec(DOCUMENT as never)).map((one) => ({
    ...one,
    servers: [],
  }));
  if (resource === undefined) throw new Error('The document has no operation.');
  const judge = createJudge(resource);
  const counts = { judged: 0, prism: 0 };
  const run = fc.asyncProperty(request, async ({ id, query, count, type, body }) => {
    const headers: Record<string, string> = {
      ...(count !== undefined && { 'x-count': count }),
      ...(type !== undefined && { 'content-type': type }),
      ...(body !== undefined && { 'content-length': '9' }),
    };
    const url = { path: `/a/${encodeURIComponent(id)}`, query };
    const input = { method: 'post' as const, url, headers, body };
    const isAccepted = judge({ params: { id }, query, headers, body });
    const result = await prism.request(input as never, [resource])();
    const isValid = result._tag === 'Right' && result.right.validations.input.length === 0;
    counts.judged += Number(isAccepted);
    counts.prism += Number(isValid);
    if (isAccepted) expect(isValid).toBe(true);
  });
  await fc.assert(run, { seed: 22, numRuns: 1500 });
  expect(counts.judged).toBeGreaterThan(counts.prism / 2);
  expect(counts.prism).toBeGreaterThan(300);
});
