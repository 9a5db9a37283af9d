import { createServer } from 'node:http';
import { createTableRouter, type Handler, type RouteTable } from '@berth/server-stubs/runtime';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { swagger } from './corpus/documents.ts';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const FORM = 'application/x-www-form-urlencoded';
const price = { type: 'object', properties: { amount: { type: 'integer' } } };
const items = { type: 'array', items: price };
const integers = { type: 'array', items: { type: 'integer' } };
const pair = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const proto = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}') };

const ofType = (...type: string[]) => ({ schema: { type } });
const STRING = { type: 'string' };
const NUMBER = { type: 'number' };
const INTEGER = { type: 'integer' };
const TEXT = { schema: STRING };
const TEXTS = { properties: { a: STRING }, required: ['c'] };
const LIST = { schema: { type: 'array', items: { type: ['integer', 'string'] } } };
const JSON_VALUE = { content: { 'application/json': {} } };
const FROM_1 = { a: { minimum: 1 } };
const toDeep = (schema: object) => ({ style: 'deepObject', schema });
const toRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A parameter, how it is sent, and its value or why it is rejected. */
const ROWS: [place: 'path' | 'query', parameter: object, sent: string, expected: unknown][] = [
  ['path', TEXT, 'a%20b', 'a b'],
  ['path', TEXT, '%E4%B8%AD', '中'],
  ['path', ofType('integer'), '1e2', 100],
  ['path', ofType('integer'), '1.5', /must be an integer, got a string/],
  ['path', ofType('integer'), '9007199254740993', /must be an integer, got a string/],
  ['path', ofType('number'), '0x1', /must be a number, got a string/],
  ['path', ofType('boolean', 'string'), 'false', false],
  ['path', ofType('null', 'integer'), 'null', null],
  ['query', ofType('string', 'null'), 'p=null', 'null'],
  ['path', LIST, '1,a%2Cb', [1, 'a,b']],
  ['path', JSON_VALUE, '%7B%22a%22%3A1%7D', { a: 1 }],
  ['path', JSON_VALUE, '%7B', /cannot be read as JSON/],
  ['path', JSON_VALUE, `${'['.repeat(65)}${']'.repeat(65)}`, /JSON: it is nested deeper than 64/],
  ['query', TEXT, 'p=a+b%2B', 'a b+'],
  ['query', TEXT, 'p', ''],
  ['query', { schema: { allOf: [ofType('integer', 'string').schema, STRING] } }, 'p=1', '1'],
  ['query', { schema: { allOf: [NUMBER, INTEGER] } }, 'p=1e2', 100],
  ['query', { schema: { allOf: [NUMBER, INTEGER] } }, 'p=9007199254740993', /got a string/],
  ['query', TEXT, '%70=1', '1'],
  ['query', TEXT, 'p=1&p=2', /more than once/],
  ['query', TEXT, 'p=%ff', /percent-encoding/],
  ['query', { schema: { type: 'string', pattern: '^[a-c\\-]+\\@$' } }, 'p=a-@', 'a-@'],
  ['query', { schema: { type: 'string', pattern: '^[a-c\\-]+\\@$' } }, 'p=d', /must match pattern/],
  ['query', LIST, 'p=1&p=a%2Cb', [1, 'a,b']],
  ['query', { ...LIST, explode: false }, 'p=1,a%2Cb', [1, 'a,b']],
  ['query', { ...LIST, explode: false }, 'p=', []],
  ['query', { schema: { ...toRef('Ids'), maxItems: 3 } }, 'p=1&p=2', [1, 2]],
  ['query', { schema: toRef('Pair/$defs/Größe%20a') }, 'p=1', 1],
  ['query', toDeep(pair), 'p[a]=1&p%5Bc%5D=2', { a: 1, c: '2' }],
  ['query', toDeep(pair), 'p[a]=1&p[a]=2', /more than once/],
  ['query', toDeep({ ...toRef('Pair'), required: ['a'] }), 'p[a]=1', { a: 1 }],
  ['query', toDeep(toRef('Pair')), 'p[a][x]=1', /deeper than one level/],
  ['query', toDeep(pair), 'p=1', /"query.p must be an object: send its .* as p\[name\]=value\."/],
  ['query', toDeep({ ...pair, allOf: [{ properties: FROM_1 }] }), 'p[a]=1', { a: 1 }],
  ['query', toDeep({ oneOf: [pair, TEXTS] }), 'p[a]=1', { a: 1 }],
  ['query', toDeep(proto), 'p[__proto__]=1', { ['__proto__']: 1 }],
  ['query', { schema: pair }, 'a=1&c=2', { a: 1 }],
  ['query', { schema: pair }, 'a=1&a=2', /more than once/],
];

const NAMES = ['constructor', 'toString', '__proto__'];
const parameter = (place: string, name: string, schema: object, rest: object = {}) => {
  return { name, in: place, schema, ...rest };
};
const TAGS = { headers: { 'x-tags': 'a, b' } };
const STRINGS = { type: 'array', items: STRING };

const AT_LEAST_1 = { properties: { count: { minimum: 1 } } };
const FIELDS = { count: INTEGER, names: { type: 'array' }, price, items, pair, ids: integers };

const toBody = (content: object) => ({ requestBody: { content } });

const operations: Record<string, object> = {
  'POST /form': toBody({
    [FORM]: {
      schema: { allOf: [{ properties: FIELDS }, AT_LEAST_1], required: ['count'] },
      encoding: { pair: { style: 'deepObject' }, ids: { explode: false } },
    },
  }),
  'GET /pets/{id}': {
    parameters: [
      parameter('path', 'id', { type: 'integer' }, { required: true }),
      parameter('query', 'limit', { type: 'integer', default: 20 }),
      parameter('query', 'tags', { ...STRINGS, default: ['a'] }),
      parameter('header', 'X-Tags', STRINGS, { required: true }),
      parameter('cookie', 'theme', STRING),
      parameter('cookie', 'ids', integers),
      parameter('cookie', 'packed', integers, { explode: false }),
    ],
  },
  'GET /defaults': {
    parameters: [
      parameter('query', 'none', { ...STRING, default: null }),
      parameter('query', 'text', { type: 'integer', default: '20' }),
      parameter('query', 'valid', { type: 'integer', default: 20 }),
      parameter('query', 'nullable', { ...toRef('Nullable'), default: null }),
    ],
  },
  'POST /wrapped': toBody({ 'text/plain': {}, 'application/json': { schema: toRef('Wrapped') } }),
};
for (const name of NAMES) {
  const places = ['query', 'header', 'cookie'].map((place) => parameter(place, name, STRING));
  const deep = parameter('query', 'deep', pair, { style: 'deepObject' });
  operations[`GET /named/${name}`] = { parameters: [...places, deep] };
}
for (const [index, [place, rest]] of ROWS.entries()) {
  const path = place === 'path' ? `/${index}/{p}` : `/${index}`;
  const required = place === 'path';
  operations[`GET ${path}`] = { parameters: [{ name: 'p', in: place, required, ...rest }] };
}

const responses = { 200: { content: { 'application/json': {} } } };
const document = {
  openapi: '3.1.1',
  info: { title: 'T', version: '1' },
  paths: Object.fromEntries(
    Object.entries(operations).map(([key, operation]) => {
      const [method = '', path] = key.split(' ');
      return [path, { [method.toLowerCase()]: { responses, ...operation } }];
    }),
  ),
  components: {
    schemas: {
      Ids: integers,
      Nullable: { type: ['string', 'null'], default: 'x' },
      Pair: { ...pair, $defs: { 'Größe a': { type: 'integer' } } },
      Wrapped: {
        'x-berth-unwrap': 'data',
        oneOf: [
          { ...pair, required: ['a'] },
          { type: 'object', required: ['data'], properties: { data: toRef('Pair') } },
        ],
      },
    },
  },
};

describe('parameters and forms', () => {
  let base: string;
  let table: RouteTable;
  beforeAll(async () => {
    ({ table } = await loadGenerated(document));
    const { url, close } = await listen(createServer(createTableRouter(table, echoes(table))));
    base = url;
    return close;
  });

  it.each(ROWS.map((row, index) => [index, ...row] as const))(
    '%i: in the %s, %j reads %s',
    async (index, place, _parameter, sent, expected) => {
      const { text, json } = await send(base, `/${index}${place === 'path' ? '/' : '?'}${sent}`);
      if (expected instanceof RegExp) expect(text).toMatch(expected);
      else expect(json).toHaveProperty(place, { p: expected });
    },
  );

  it('reach the handler with their documented types and defaults', async () => {
    const cookie = 'theme=dark%20blue; theme=2; ids=1; ids=2; packed=1,2; packed=3';
    const headers = { ...TAGS.headers, cookie };
    const expected = {
      path: { id: 12 },
      query: { limit: 20, tags: ['a'] },
      header: { 'X-Tags': ['a', 'b'] },
      cookie: { theme: 'dark blue', ids: [1, 2], packed: [1, 2] },
    };
    expect((await send(base, '/pets/12?unknown=%', { headers })).json).toMatchObject(expected);
  });

  it('are copies of their defaults, which a handler may change', async () => {
    const push: Handler = ({ query }) => ({ status: 200, body: query.tags.push('b') });
    const url = await serve(createTableRouter(table, { getPetsId: push }));
    const counts = [await send(url, '/pets/1', TAGS), await send(url, '/pets/1', TAGS)];
    expect(counts).toMatchObject([{ json: 2 }, { json: 2 }]);
  });

  it('are absent if their schema rejects their default', async () => {
    const query = { valid: 20, nullable: null };
    expect((await send(base, '/defaults')).json).toHaveProperty('query', query);
  });

  it('may be nested in a property, as the schema of a component says', async () => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"data":{"a":1}}' };
    expect((await send(base, '/wrapped', init)).json).toHaveProperty('body', { a: 1 });
  });

  it('are named if they cannot be read, each of them', async () => {
    const response = await send(base, '/pets/1?limit=1&limit=2');
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({
      detail: 'query.limit occurs more than once. header.X-Tags is missing.',
      errors: [
        { in: 'query', pointer: '/limit' },
        { in: 'header', pointer: '/X-Tags' },
      ],
    });
  });

  it.each(NAMES)('may be named %s', async (name) => {
    const path = `/named/${name}`;
    const none = { query: {}, header: {}, cookie: {} };
    expect((await send(base, path)).json).toMatchObject(none);
    const headers = { cookie: `${name}=c`, ...(name !== '__proto__' && { [name]: 'h' }) };
    const { text } = await send(base, `${path}?${name}=q&deep[${name}]=d`, { headers });
    expect(text).toContain(`"query":{"${name}":"q","deep":{"${name}":"d"}}`);
    expect(text).toContain(`"cookie":{"${name}":"c"}`);
    if (name !== '__proto__') expect(text).toContain(`"header":{"${name}":"h"}`);
  });

  const post = (body: string) =>
    send(base, '/form', { method: 'POST', headers: { 'content-type': FORM }, body });

  it('reads each field of a form in the type and style of the document', async () => {
    const text =
      'count=1&names=a&price={"amount":2}&items=[{"amount":3}]&pair[a]=4&ids=5,6&pair[a=7&pair[a]b=8';
    expect((await post(text)).json).toHaveProperty('body', {
      count: 1,
      names: ['a'],
      price: { amount: 2 },
      items: [{ amount: 3 }],
      pair: { a: 4 },
      ids: [5, 6],
      'pair[a': '7',
      'pair[a]b': '8',
    });
  });

  it.each([
    ['count=x', 'body.count must be an integer, got a string.'],
    ['names=a', 'body.count is missing.'],
    ['count=1&price={"amount":"x"}', 'body.price.amount must be an integer, got a string.'],
    ['count=1&pair=1', 'body.pair must be an object: send its properties as pair[name]=value.'],
  ])('rejects the form %s', async (text, detail) => {
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
  const base = await serve(createTableRouter(table, { echo }, { security: { key } }));
  const headers = { authorization: 'Bearer ann' };
  expect((await send(base, '/x', { method: 'POST', headers })).json).toEqual({ key: 'ann' });
  expect(key.mock.lastCall?.slice(2)).toEqual([['pets:write']]);
  expect((await send(base, '/x', { method: 'POST' })).json).toEqual({});
});

it('Swagger 2.0 is served below its base path, with lists, bodies and nullable values as it says', async () => {
  const { table } = await loadGenerated(swagger);
  const base = await serve(createTableRouter(table, echoes(table)));
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
