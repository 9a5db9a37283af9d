import { createRouter, type Handler } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { toParameter, toTable } from './support/to-table.ts';

const echo: Handler = ({ path, query, header, cookie }) => ({
  status: 200,
  body: { path, query, header, cookie },
});

const parameters = [
  toParameter({ name: 'id', in: 'path', types: ['integer'] }),
  toParameter({ name: 'limit', in: 'query', types: ['integer'], default: 20 }),
  toParameter({ name: 'X-Tags', in: 'header', shape: 'array', required: true }),
  toParameter({ name: 'theme', in: 'cookie' }),
];

it('gives the handler each part in its types, with defaults', async () => {
  const table = toTable([{ path: '/pets/{id}', parameters }]);
  const base = await serve(createRouter(table, { operation: echo }));
  const headers = { 'x-tags': 'a, b', cookie: 'theme=dark%20blue; theme=2' };
  const response = await send(base, '/pets/12?unknown=%', { headers });
  expect(response.json).toEqual({
    path: { id: 12 },
    query: { limit: 20 },
    header: { 'X-Tags': ['a', 'b'] },
    cookie: { theme: 'dark blue' },
  });
});

it('names every parameter that cannot be read', async () => {
  const table = toTable([{ path: '/pets/{id}', parameters }]);
  const base = await serve(createRouter(table, { operation: echo }));
  const response = await send(base, '/pets/1?limit=1&limit=2');
  expect(response.status).toBe(400);
  expect(JSON.parse(response.text)).toMatchObject({
    detail: 'query.limit is given more than once. header.X-Tags is missing.',
    errors: [
      { in: 'query', pointer: '/limit' },
      { in: 'header', pointer: '/X-Tags' },
    ],
  });
});

it('passes a greedy tail raw, and the target as it came', async () => {
  const greedy = toParameter({ name: 'rest', in: 'path', greedy: true });
  const table = toTable([{ path: '/run/{rest}', parameters: [greedy] }]);
  const base = await serve(
    createRouter(table, {
      operation: ({ path }, { rawPath, rawQuery }) => ({
        status: 200,
        body: [path.rest, rawPath, rawQuery],
      }),
    }),
  );
  const response = await send(base, '/run/a%2Fb//%zz/?x=%&y');
  expect(response.json).toEqual(['a%2Fb//%zz/', '/run/a%2Fb//%zz/', 'x=%&y']);
});

it('limits path, query and headers', async () => {
  const table = toTable([{ path: '/pets/{id}', parameters: [] }]);
  const requests = { pathBytes: 20, queryBytes: 10, headerBytes: 200 };
  const base = await serve(createRouter(table, { operation: echo }, { requests }));
  const headers = { 'x-long': 'x'.repeat(200) };
  expect((await send(base, '/pets/1?1234567890')).status).toBe(200);
  expect((await send(base, `/pets/${'1'.repeat(20)}`)).status).toBe(414);
  expect((await send(base, '/pets/1?12345678901')).status).toBe(414);
  expect((await send(base, '/pets/1', { headers })).status).toBe(431);
});

it.each(['constructor', 'toString', '__proto__'])('reads parameters named %s', async (name) => {
  const named = (['query', 'header', 'cookie'] as const).map((place) =>
    toParameter({ name, in: place }),
  );
  const table = toTable([{ path: '/', parameters: named }]);
  const base = await serve(createRouter(table, { operation: echo }));
  expect((await send(base, '/')).json).toEqual({ query: {}, header: {}, cookie: {} });
  const headers = { cookie: `${name}=c`, ...(name !== '__proto__' && { [name]: 'h' }) };
  const { text } = await send(base, `/?${name}=q`, { headers });
  expect(text).toContain(`"query":{"${name}":"q"}`);
  expect(text).toContain(`"cookie":{"${name}":"c"}`);
  if (name !== '__proto__') expect(text).toContain(`"header":{"${name}":"h"}`);
});
