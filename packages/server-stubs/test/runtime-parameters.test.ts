import { createRouter, type Handler, type Parameter } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { toParameter, toTable } from './support/to-table.ts';

const echo: Handler = ({ path, query, header, cookie }) => ({
  status: 200,
  body: { path, query, header, cookie },
});

function start(path: string, ...parameters: readonly Parameter[]) {
  return serve(createRouter(toTable([{ path, parameters }]), { operation: echo }));
}

const parameters = [
  toParameter({ name: 'id', in: 'path', types: ['integer'] }),
  toParameter({ name: 'limit', in: 'query', types: ['integer'], default: 20 }),
  toParameter({ name: 'X-Tags', in: 'header', shape: 'array', required: true }),
  toParameter({ name: 'theme', in: 'cookie' }),
];

it('gives the handler each part in its types, with defaults', async () => {
  const base = await start('/pets/{id}', ...parameters);
  const headers = { 'x-tags': 'a, b', cookie: 'theme=dark%20blue; theme=2' };
  const response = await send(base, '/pets/12?unknown=%', { headers });
  expect(response.json).toEqual({
    path: { id: 12 },
    query: { limit: 20 },
    header: { 'X-Tags': ['a', 'b'] },
    cookie: { theme: 'dark blue' },
  });
});

it('gives each call its own copy of a default', async () => {
  const tags = toParameter({ name: 'tags', in: 'query', shape: 'array', default: ['a'] });
  const push: Handler = ({ query }) => ({ status: 200, body: query.tags.push('b') });
  const table = toTable([{ path: '/', parameters: [tags] }]);
  const base = await serve(createRouter(table, { operation: push }));
  expect([await send(base, '/'), await send(base, '/')]).toMatchObject([{ json: 2 }, { json: 2 }]);
});

it('names every parameter that cannot be read', async () => {
  const response = await send(await start('/pets/{id}', ...parameters), '/pets/1?limit=1&limit=2');
  expect(response.status).toBe(400);
  expect(JSON.parse(response.text)).toMatchObject({
    detail: 'query.limit is given more than once. header.X-Tags is missing.',
    errors: [
      { in: 'query', pointer: '/limit' },
      { in: 'header', pointer: '/X-Tags' },
    ],
  });
});

const ARRAY = { shape: 'array', types: ['integer', 'string'] } as const;
const OBJECT = { shape: 'object', properties: { R: ['integer'] } } as const;

it.each<[Partial<Parameter>, string, unknown]>([
  [{}, 'a%20b', 'a b'],
  [{}, '%E4%B8%AD', '中'],
  [{ types: ['integer'] }, '1e2', 100],
  [{ types: ['integer'] }, '1.5', '1.5'],
  [{ types: ['number'] }, '0x1', '0x1'],
  [{ types: ['boolean', 'string'] }, 'false', false],
  [{ types: ['null', 'integer'] }, 'null', null],
  [ARRAY, '1,a%2Cb', [1, 'a,b']],
  [{ shape: 'json' }, '%7B%22a%22%3A1%7D', { a: 1 }],
  [{ shape: 'json' }, '%7B', /not valid JSON/],
])('a path parameter %j reads %s', async (given, text, expected) => {
  const base = await start('/{p}', toParameter({ name: 'p', in: 'path', ...given }));
  const response = await send(base, `/${text}`);
  if (expected instanceof RegExp) expect(response.text).toMatch(expected);
  else expect(response.json).toEqual({ path: { p: expected } });
});

const DEEP = { ...OBJECT, style: 'deepObject' } as const;

it.each<[Partial<Parameter>, string, unknown]>([
  [{}, 'q=a+b%2B', 'a b+'],
  [{}, 'q', ''],
  [{}, '%71=1', '1'],
  [{}, 'q=1&q=2', /more than once/],
  [{}, 'q=%ff', /percent-encoding/],
  [ARRAY, 'q=1&q=a%2Cb', [1, 'a,b']],
  [{ ...ARRAY, explode: false }, 'q=1,a%2Cb', [1, 'a,b']],
  [{ ...ARRAY, explode: false }, 'q=', []],
  [DEEP, 'q[R]=1&q%5BG%5D=2', { R: 1, G: '2' }],
  [DEEP, 'q[R]=1&q[R]=2', /more than once/],
  [DEEP, 'q[R][x]=1', /deeper than one level/],
  [OBJECT, 'R=1&S=2', { R: 1 }],
  [OBJECT, 'R=1&R=2', /more than once/],
])('a query parameter %j reads %s', async (given, query, expected) => {
  const base = await start('/', toParameter({ name: 'q', in: 'query', ...given }));
  const response = await send(base, `/?${query}`);
  if (expected instanceof RegExp) expect(response.text).toMatch(expected);
  else expect(response.json).toEqual({ query: { q: expected } });
});

it.each(['constructor', 'toString', '__proto__'])('reads parameters named %s', async (name) => {
  const named = (['query', 'header', 'cookie'] as const).map((place) =>
    toParameter({ name, in: place }),
  );
  const base = await start('/', ...named, toParameter({ ...DEEP, name: 'q', in: 'query' }));
  expect((await send(base, '/')).json).toEqual({ query: {}, header: {}, cookie: {} });
  const headers = { cookie: `${name}=c`, ...(name !== '__proto__' && { [name]: 'h' }) };
  const { text } = await send(base, `/?${name}=q&q[${name}]=d`, { headers });
  expect(text).toContain(`"query":{"${name}":"q","q":{"${name}":"d"}}`);
  expect(text).toContain(`"cookie":{"${name}":"c"}`);
  if (name !== '__proto__') expect(text).toContain(`"header":{"${name}":"h"}`);
});
