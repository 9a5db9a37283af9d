import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouter, type Handler, type RouteTable } from '@berth/server-stubs/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const FORM = 'application/x-www-form-urlencoded';
const price = { type: 'object', properties: { amount: { type: 'integer' } } };
const items = { type: 'array', items: price };
const integers = { type: 'array', items: { type: 'integer' } };
const pair = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const proto = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}') };

const query = (schema: object, rest: object = {}) => ({
  parameters: [{ name: 'q', in: 'query', schema, ...rest }],
});
const form = (schema: object, encoding: object = {}) => ({
  post: { requestBody: { content: { [FORM]: { schema, encoding } } } },
});

const paths = {
  '/form': form(
    {
      properties: {
        ...{ count: { type: 'integer' }, names: { type: 'array' } },
        ...{ price, items, pair, ids: integers },
      },
      required: ['count'],
    },
    {
      pair: { style: 'deepObject' },
      ids: { explode: false },
    },
  ),
  '/deep-or-number': {
    get: query({ anyOf: [price, { type: 'integer' }] }, { style: 'deepObject' }),
  },
  '/nested': { get: query(items) },
  '/proto': { get: query(proto, { style: 'deepObject' }) },
  '/ids': { get: query({ $ref: '#/components/schemas/Ids', maxItems: 3 }) },
  '/pair': {
    get: query({ $ref: '#/components/schemas/Pair', required: ['a'] }, { style: 'deepObject' }),
  },
  '/pattern': { get: query({ type: 'string', pattern: '^[a-c\\-]+\\@$' }) },
};

const schemas = {
  Ids: integers,
  Pair: pair,
};

const responses = { 200: { content: { 'application/json': {} } } };
const document = {
  openapi: '3.1.1',
  info: { title: 'T', version: '1' },
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, { responses, ...operation }]),
      ),
    ]),
  ),
  components: { schemas },
};

describe('parameters and forms', () => {
  let base: string;
  let server: Server;
  beforeAll(async () => {
    const { table } = await loadGenerated(document);
    server = createServer(createRouter(table, echoes(table))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const post = (body: string) =>
    send(base, '/form', { method: 'POST', headers: { 'content-type': FORM }, body });

  it.each([
    ['/deep-or-number?q=7', 7],
    ['/deep-or-number?q[amount]=7', { amount: 7 }],
    ['/nested?q=[{"amount":1}]', [{ amount: 1 }]],
    ['/proto?q[__proto__]=1', { ['__proto__']: 1 }],
    ['/ids?q=1&q=2', [1, 2]],
    ['/pair?q[a]=1', { a: 1 }],
    ['/pattern?q=a-@', 'a-@'],
  ])('reads %s', async (path, q) => {
    expect((await send(base, path)).json).toMatchObject({ query: { q } });
  });

  it.each(['/pattern?q=d', '/pair?q[a][b]=1', '/nested?q=1'])('refuses %s', async (path) => {
    expect((await send(base, path)).status).toBe(400);
  });

  it('reads each field of a form in the type and style of the document', async () => {
    const text = 'count=1&names=a&price={"amount":2}&items=[{"amount":3}]&pair[a]=4&ids=5,6';
    expect((await post(text)).json).toHaveProperty('body', {
      count: 1,
      names: ['a'],
      price: { amount: 2 },
      items: [{ amount: 3 }],
      pair: { a: 4 },
      ids: [5, 6],
    });
  });

  it.each([
    ['count=x', 'body.count must be an integer, got a string.'],
    ['names=a', 'body.count is missing.'],
    ['count=1&count=2', 'body.count is given more than once.'],
    ['count=1&price={', 'body.price is not valid JSON'],
    ['count=1&price={"amount":"x"}', 'body.price.amount must be an integer, got a string.'],
    ['count=1&on=%', 'body.on has broken percent-encoding.'],
  ])('refuses the form %s', async (text, detail) => {
    const response = await post(text);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text).detail).toContain(detail);
  });
});

/** A handler for each operation, which sends what it got. */
function echoes(table: RouteTable): Record<string, Handler> {
  return Object.fromEntries(
    table.routes.map(({ operationId: id }) => [
      id,
      ({ path, query, header, cookie, body }) => ({
        status: 200,
        body: { id, path, query, header, cookie, body: body ?? null },
      }),
    ]),
  );
}

it('a handler gets the caller if authentication is optional, and its scheme gets the scopes', async () => {
  const key = vi.fn((value: string) => value);
  const post = { operationId: 'echo', responses, security: [{}, { key: ['pets:write'] }] };
  const { table } = await loadGenerated({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/x': { post } },
    components: { securitySchemes: { key: { type: 'oauth2', flows: {} } } },
  });
  const echo: Handler = (_, { security }) => ({ status: 200, body: security });
  const base = await serve(createRouter(table, { echo }, { security: { key } }));
  const headers = { authorization: 'Bearer ann' };
  expect((await send(base, '/x', { method: 'POST', headers })).json).toEqual({ key: 'ann' });
  expect(key.mock.lastCall?.slice(2)).toEqual([['pets:write']]);
  expect((await send(base, '/x', { method: 'POST' })).json).toEqual({});
});

it('Swagger 2.0 is served below its base path, with lists, bodies and nullable values as it says', async () => {
  const array = { type: 'array', items: { type: 'string', minLength: 2 } };
  const { table } = await loadGenerated({
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    basePath: '/v2',
    consumes: ['application/json'],
    paths: {
      '/form': {
        post: {
          operationId: 'form',
          consumes: [FORM],
          parameters: [{ in: 'formData', name: 'q', ...array, collectionFormat: 'csv' }],
          responses,
        },
      },
      '/lists': {
        get: {
          operationId: 'lists',
          parameters: [
            { in: 'query', name: 'q', type: 'array', items: { type: 'integer' } },
            { in: 'query', name: 'many', ...array, collectionFormat: 'multi' },
            { in: 'query', name: 'n', type: 'integer', minimum: 1, exclusiveMinimum: true },
          ],
          responses,
        },
      },
      '/body': {
        put: { operationId: 'body', parameters: [{ $ref: '#/parameters/Pet' }], responses },
      },
    },
    parameters: { Pet: { in: 'body', name: 'pet', schema: { $ref: '#/definitions/Pet' } } },
    definitions: {
      Pet: {
        required: ['kind'],
        properties: { kind: { type: 'string' }, age: { type: 'integer', 'x-nullable': true } },
      },
    },
  });
  const base = await serve(createRouter(table, echoes(table)));
  const read = async (path: string, init: Parameters<typeof send>[2] = {}) => {
    const { status, json } = await send(base, path, init);
    return status === 200 ? json : status;
  };
  const post = (body: string) =>
    read('/v2/form', { method: 'POST', headers: { 'content-type': FORM }, body });
  const put = (body: string) =>
    read('/v2/body', { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  expect(await read('/lists')).toBe(404);
  expect(await post('q=aa,bb')).toMatchObject({ body: { q: ['aa', 'bb'] } });
  expect(await post('q=aa,b')).toBe(400);
  expect(await read('/v2/lists?q=1,2&many=aa&many=bb&n=2')).toMatchObject({
    query: { q: [1, 2], many: ['aa', 'bb'], n: 2 },
  });
  expect([await read('/v2/lists?q=1,x'), await read('/v2/lists?n=1')]).toEqual([400, 400]);
  expect(await put('{"kind":"a","age":null}')).toMatchObject({ body: { age: null } });
  expect(await put('{}')).toBe(400);
});
