import { createRouter, type Handler, type RouteTable } from '@berth/server-stubs/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const FORM = 'application/x-www-form-urlencoded';
const price = { type: 'object', properties: { amount: { type: 'integer' } } };
const items = { type: 'array', items: price };

const query = (schema: object, rest: object = {}) => ({
  parameters: [{ name: 'q', in: 'query', schema, ...rest }],
});
const form = (properties: object, encoding: object = {}) => ({
  post: {
    requestBody: { content: { [FORM]: { schema: { type: 'object', properties }, encoding } } },
  },
});

/** Paths with what documents have that OpenAPI does not define, or that few tools read. */
const paths = {
  '/form': form({ price, items, note: { type: 'string' }, 'tags[]': { type: 'array' } }),
  '/form-encodings': form(
    { ids: { type: 'array', items: { type: 'integer' } }, tags: { type: 'array' } },
    { ids: { style: 'deepObject' }, tags: { style: 'pipeDelimited', explode: false } },
  ),
  '/object-or-text': { get: query({ anyOf: [price, { type: 'integer' }, { type: 'null' }] }) },
  '/deep': { get: query({ properties: { a: items, b: price } }, { style: 'deepObject' }) },
  '/deep-or-number': {
    get: query({ anyOf: [price, { type: 'integer' }] }, { style: 'deepObject' }),
  },
  '/list-of-objects': { get: query(items) },
  '/object-in-header': {
    get: { parameters: [{ name: 'X-Q', in: 'header', schema: { anyOf: [items, price] } }] },
  },
  '/undeclared/{id}': { get: {} },
  '/twice/{id}/{id}': {
    get: { parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }] },
  },
  '/objects': { get: { operationId: 'same' } },
  '/objects?acl': { get: { operationId: 'same' } },
  '/objects?list-type=2&versions': { get: { operationId: 'same' } },
  '/token#refresh': { post: {} },
  '/querystring': {
    get: {
      parameters: [
        {
          name: 'all',
          in: 'querystring',
          content: { [FORM]: { schema: { properties: { price, page: { type: 'integer' } } } } },
        },
      ],
    },
  },
  '/querystring-json': {
    get: {
      parameters: [
        { name: 'all', in: 'querystring', content: { 'application/json': { schema: price } } },
      ],
    },
  },
  '/cookie': {
    get: { parameters: [{ name: 'c', in: 'cookie', style: 'cookie', schema: { type: 'string' } }] },
  },
  '/pattern': { get: query({ type: 'string', pattern: '(?i)^[a-c]+\\z' }) },
  '/anchor': { get: query({ $ref: '#small' }) },
  '/id': { get: query({ $ref: 'https://a.example/small#/$defs/one' }) },
  '/dynamic': { get: query({ $dynamicRef: '#dynamic' }) },
  '/stream': {
    post: { requestBody: { content: { 'application/jsonl': { itemSchema: price } } } },
  },
};

const schemas = {
  Small: {
    $id: 'https://a.example/small',
    $anchor: 'small',
    maximum: 9,
    type: 'integer',
    $defs: { one: { type: 'integer', maximum: 1 } },
  },
  Dynamic: { $dynamicAnchor: 'dynamic', type: 'integer', maximum: 5 },
};

const responses = { 200: { content: { 'application/json': {} } } };
const document = {
  openapi: '3.2.0',
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

describe('features that few tools support', () => {
  let table: RouteTable;
  beforeAll(async () => {
    table = (await loadGenerated(document)).table;
  });

  const post = (body: string) => ({ method: 'POST', headers: { 'content-type': FORM }, body });
  const nested = { price: { amount: 1 }, items: [{ amount: 2 }, { amount: 3 }] };

  it.each([
    [
      'brackets in a form',
      '/form',
      post('price[amount]=1&items[0][amount]=2&items[1][amount]=3&note=[1&tags[]=a'),
      { body: { ...nested, note: '[1', 'tags[]': ['a'] } },
    ],
    [
      'JSON in a form',
      '/form',
      post('price={"amount":1}&items=[{"amount":2},{"amount":3}]'),
      { body: nested },
    ],
    [
      'lists in a form',
      '/form-encodings',
      post('ids[]=1&ids[]=2&tags=a|b'),
      { body: { ids: [1, 2], tags: ['a', 'b'] } },
    ],
    ['an object or a text, as text', '/object-or-text?q=1', {}, { query: { q: 1 } }],
    [
      'an object or a text, as object',
      '/object-or-text?amount=1',
      {},
      { query: { q: { amount: 1 } } },
    ],
    [
      'an object or a text, as JSON',
      '/object-or-text?q={"amount":1}',
      {},
      { query: { q: { amount: 1 } } },
    ],
    ['an object or a text, without', '/object-or-text', {}, { query: {} }],
    [
      'a deep object',
      '/deep?q[a][0][amount]=1&q[b][amount]=2',
      {},
      { query: { q: { a: [{ amount: 1 }], b: { amount: 2 } } } },
    ],
    ['a deep object or a number', '/deep-or-number?q=7', {}, { query: { q: 7 } }],
    [
      'a list of objects',
      '/list-of-objects?q[][amount]=1&q[][amount]=2',
      {},
      { query: { q: [{ amount: 1 }, { amount: 2 }] } },
    ],
    [
      'a list of JSON',
      '/list-of-objects?q={"amount":1}&q={"amount":2}',
      {},
      { query: { q: [{ amount: 1 }, { amount: 2 }] } },
    ],
    [
      'an object in a header',
      '/object-in-header',
      { headers: { 'x-q': '[{"amount":1}]' } },
      { header: { 'X-Q': [{ amount: 1 }] } },
    ],
    ['an undeclared placeholder', '/undeclared/a%20b', {}, { path: { id: 'a b' } }],
    ['a placeholder that is there twice', '/twice/1/2', {}, { path: { id: 1, id2: 2 } }],
    ['a path without its query', '/objects', {}, { id: 'same' }],
    ['a query in a path', '/objects?x=1&acl', {}, { id: 'same2' }],
    ['a longer query in a path', '/objects?acl&list-type=2&versions=', {}, { id: 'same3' }],
    ['a fragment in a path', '/token', { method: 'POST' }, { id: 'postTokenRefresh' }],
    [
      'an entire query',
      '/querystring?price[amount]=1&page=2',
      {},
      { query: { all: { price: { amount: 1 }, page: 2 } } },
    ],
    [
      'an entire query of JSON',
      '/querystring-json?%7B%22amount%22:1%7D',
      {},
      { query: { all: { amount: 1 } } },
    ],
    [
      'a cookie as it is',
      '/cookie',
      { headers: { cookie: 'c=a%20b' } },
      { cookie: { c: 'a%20b' } },
    ],
    ['a pattern of another language', '/pattern?q=aBC', {}, { query: { q: 'aBC' } }],
    ['an anchor', '/anchor?q=9', {}, { query: { q: 9 } }],
    ['a pointer below an ID', '/id?q=1', {}, { query: { q: 1 } }],
    ['a dynamic reference', '/dynamic?q=5', {}, { query: { q: 5 } }],
  ])('%s', async (_, path, sent, seen) => {
    const response = await send(await serve(createRouter(table, echoes(table))), path, sent);
    expect(response.json).toMatchObject(seen);
  });

  it.each([
    ['a number in brackets', '/form', post('price[amount]=x')],
    ['a value that has members too', '/form', post('price=1&price[amount]=1')],
    ['too many brackets', '/form', post(`price${'[a]'.repeat(40)}=1`)],
    ['an object in brackets', '/deep?q[b][amount]=x', {}],
    ['broken percent-encoding', '/deep?q[b][amount]=%', {}],
    ['a pattern of another language', '/pattern?q=d', {}],
    ['an anchor', '/anchor?q=10', {}],
    ['a pointer below an ID', '/id?q=2', {}],
    ['a dynamic reference', '/dynamic?q=6', {}],
  ])('refuses %s', async (_, path, sent) => {
    const response = await send(await serve(createRouter(table, echoes(table))), path, sent);
    expect(response.status).toBe(400);
  });

  it('names inherited by every object are names like any other', async () => {
    const base = await serve(createRouter(table, echoes(table)));
    const body = 'price[__proto__][polluted]=1&price[constructor][prototype][polluted]=1';
    await send(base, '/form', post(body));
    expect({}).not.toHaveProperty('polluted');
  });

  it('a security handler for a scheme that does not exist gets every request', async () => {
    const secured = { ...document, security: [{ missing: [] }] };
    const { table: guarded } = await loadGenerated(secured);
    expect(() => createRouter(guarded, {})).toThrow('options.security.missing is missing');
    const security = { missing: () => undefined };
    const base = await serve(createRouter(guarded, echoes(guarded), { security }));
    expect((await send(base, '/objects')).status).toBe(401);
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
