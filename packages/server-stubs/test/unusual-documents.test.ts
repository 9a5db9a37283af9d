import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createRouter,
  type Handler,
  type RouteTable,
  type SecurityHandlers,
} from '@berth/server-stubs/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const FORM = 'application/x-www-form-urlencoded';
const price = { type: 'object', properties: { amount: { type: 'integer' } } };
const items = { type: 'array', items: price };
const integers = { type: 'array', items: { type: 'integer' } };
const pair = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const map = { type: 'object', additionalProperties: { type: 'integer' } };
const proto = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}') };
const other = { name: 'other', in: 'query', schema: { type: 'string' } };

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
  '/map': { get: { parameters: [...query(map).parameters, other] } },
  '/pair-and-map': { get: query({ ...pair, ...map }) },
  '/map-in-brackets': { get: query(map, { style: 'deepObject' }) },
  '/proto': { get: query(proto, { style: 'deepObject' }) },
  '/ids': { get: query({ $ref: '#/components/schemas/Ids', maxItems: 3 }) },
  '/pair': {
    get: query({ $ref: '#/components/schemas/Pair', required: ['a'] }, { style: 'deepObject' }),
  },
  '/tuple': { get: query({ type: 'array', prefixItems: [{ type: 'integer' }], maxItems: 2 }) },
  '/cookies': { get: { parameters: [{ name: 'c', in: 'cookie', schema: integers }] } },
  '/cookie-pair': { get: { parameters: [{ name: 'c', in: 'cookie', schema: pair }] } },
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
  Ids: integers,
  Pair: pair,
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
  let base: string;
  let server: Server;
  beforeAll(async () => {
    const { table } = await loadGenerated(document);
    server = createServer(createRouter(table, echoes(table))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const post = (body: string) => ({ method: 'POST', headers: { 'content-type': FORM }, body });
  const amounts = (...all: number[]) => all.map((amount) => ({ amount }));

  it.each([
    ['/object-or-text?q=1', { query: { q: 1 } }],
    ['/object-or-text?amount=1', { query: { q: { amount: 1 } } }],
    ['/object-or-text?q={"amount":1}', { query: { q: { amount: 1 } } }],
    ['/object-or-text', { query: {} }],
    [
      '/deep?q[a][0][amount]=1&q[b][amount]=2',
      { query: { q: { a: amounts(1), b: { amount: 2 } } } },
    ],
    ['/deep-or-number?q=7', { query: { q: 7 } }],
    ['/list-of-objects?q[][amount]=1&q[][amount]=2', { query: { q: amounts(1, 2) } }],
    ['/list-of-objects?q={"amount":1}&q={"amount":2}', { query: { q: amounts(1, 2) } }],
    ['/map?a=1&b=2&other=o', { query: { q: { a: 1, b: 2 } } }],
    ['/pair-and-map?b=x&z=3', { query: { q: { b: 'x', z: 3 } } }],
    ['/map-in-brackets?q[a]=1', { query: { q: { a: 1 } } }],
    ['/proto?q[__proto__]=1', { query: { q: { ['__proto__']: 1 } } }],
    ['/ids?q=1&q=2', { query: { q: [1, 2] } }],
    ['/pair?q[a]=1', { query: { q: { a: 1 } } }],
    ['/tuple?q=1', { query: { q: [1] } }],
    ['/undeclared/a%20b', { path: { id: 'a b' } }],
    ['/twice/1/2', { path: { id: 1, id2: 2 } }],
    ['/objects', { id: 'same' }],
    ['/objects?x=1&acl', { id: 'same2' }],
    ['/objects?acl&list-type=2&versions=', { id: 'same3' }],
    ['/querystring?price[amount]=1&page=2', { query: { all: { price: { amount: 1 }, page: 2 } } }],
    ['/querystring-json?%7B%22amount%22:1%7D', { query: { all: { amount: 1 } } }],
    ['/pattern?q=aBC', { query: { q: 'aBC' } }],
    ['/anchor?q=9', { query: { q: 9 } }],
    ['/id?q=1', { query: { q: 1 } }],
    ['/dynamic?q=5', { query: { q: 5 } }],
  ])('reads %s', async (path, seen) => {
    expect((await send(base, path)).json).toMatchObject(seen);
  });

  it.each([
    ['price[amount]=1&items[0][amount]=2&items[1][amount]=3&note=[1&tags[]=a', '[1', ['a']],
    ['price={"amount":1}&items=[{"amount":2},{"amount":3}]', undefined, undefined],
  ])('reads the form %s', async (form, note, tags) => {
    const { json } = await send(base, '/form', post(form));
    const expected = { price: { amount: 1 }, items: amounts(2, 3), note, 'tags[]': tags };
    expect(json).toHaveProperty('body', JSON.parse(JSON.stringify(expected)));
  });

  it('reads lists in a form, objects in headers, plain cookies and paths with fragments', async () => {
    const lists = await send(base, '/form-encodings', post('ids[]=1&ids[]=2&tags=a|b'));
    expect(lists.json).toMatchObject({ body: { ids: [1, 2], tags: ['a', 'b'] } });
    const inHeader = { headers: { 'x-q': '[{"amount":1}]' } };
    const { json } = await send(base, '/object-in-header', inHeader);
    expect(json).toMatchObject({ header: { 'X-Q': amounts(1) } });
    const cookie = await send(base, '/cookie', { headers: { cookie: 'c=a%20b' } });
    expect(cookie.json).toMatchObject({ cookie: { c: 'a%20b' } });
    const several = await send(base, '/cookies', { headers: { cookie: 'c=1; d=9; c=2' } });
    expect(several.json).toMatchObject({ cookie: { c: [1, 2] } });
    const exploded = await send(base, '/cookie-pair', { headers: { cookie: 'a=1; b=x' } });
    expect(exploded.json).toMatchObject({ cookie: { c: { a: 1, b: 'x' } } });
    const token = await send(base, '/token', { method: 'POST' });
    expect(token.json).toMatchObject({ id: 'postTokenRefresh' });
  });

  it.each(['price[amount]=x', 'price=1&price[amount]=1', `price${'[a]'.repeat(40)}=1`])(
    'refuses the form %s',
    async (form) => {
      expect((await send(base, '/form', post(form))).status).toBe(400);
    },
  );

  it.each([
    ...['/deep?q[b][amount]=x', '/deep?q[b][amount]=%', '/pattern?q=d', '/anchor?q=10'],
    ...['/id?q=2', '/dynamic?q=6'],
  ])('refuses %s', async (path) => {
    expect((await send(base, path)).status).toBe(400);
  });

  it('names inherited by every object are names like any other', async () => {
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

const RESPONSES = { 200: { description: 'The input.', content: { 'application/json': {} } } };
const INTEGERS = { type: 'array', items: { type: 'integer' } };
const PAIR = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };

/** Serves one operation in a document, with a handler that returns its input and the caller. */
async function start(
  operation: object,
  { path = '/x', security = {}, ...rest }: Record<string, unknown> & { path?: string } = {},
): Promise<string> {
  const post = { operationId: 'echo', responses: RESPONSES, ...operation };
  const info = { title: 'T', version: '1' };
  const { table } = await loadGenerated({
    openapi: '3.1.0',
    info,
    paths: { [path]: { post } },
    ...rest,
  });
  const echo = (input: object, call: { security: object }) => ({
    status: 200,
    body: { ...input, security: call.security },
  });
  return serve(createRouter(table, { echo }, { security: security as SecurityHandlers }));
}

it.each([
  [
    'application/json; charset=utf-8',
    'application/json',
    '{"a":1}',
    'application/json; charset=utf-8',
  ],
  ['Application/JSON', 'application/json', '{"a":1}', 'Application/JSON'],
  ['application/json;v=1', 'application/json; v=2', '[1]', 'application/json;v=2'],
])('a body documented as %s is accepted as %s', async (documented, sent, body, contentType) => {
  const content = { [documented]: { schema: PAIR }, 'application/json;v=2': { schema: INTEGERS } };
  const base = await start({ requestBody: { required: true, content } });
  const response = await send(base, '/x', {
    method: 'POST',
    headers: { 'content-type': sent },
    body,
  });
  expect(response.json).toMatchObject({ contentType, body: JSON.parse(body) });
});

it('the root of a server with a path keeps its slash', async () => {
  const base = await start({}, { path: '/', servers: [{ url: 'https://api.example/v1' }] });
  expect((await send(base, '/v1/', { method: 'POST' })).status).toBe(200);
});

it('a handler gets the caller if authentication is optional, and its scheme gets the scopes', async () => {
  const key = vi.fn((value: string) => value);
  const securitySchemes = { key: { type: 'oauth2', flows: {} } };
  const base = await start(
    { security: [{}, { key: ['pets:write'] }] },
    { components: { securitySchemes }, security: { key } },
  );
  const headers = { authorization: 'Bearer ann' };
  expect((await send(base, '/x', { method: 'POST', headers })).json).toMatchObject({
    security: { key: 'ann' },
  });
  expect(key.mock.lastCall?.slice(2)).toEqual([['pets:write']]);
  expect((await send(base, '/x', { method: 'POST' })).json).toEqual({ security: {} });
});
