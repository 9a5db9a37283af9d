import { createRouter, type Handler, type Validator } from '@berth/server-stubs/runtime';
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
  const answer = await send(base, '/pets/12?unknown=%', { headers });
  expect(answer.json).toEqual({
    path: { id: 12 },
    query: { limit: 20 },
    header: { 'X-Tags': ['a', 'b'] },
    cookie: { theme: 'dark blue' },
  });
});

it('names every parameter that cannot be read', async () => {
  const table = toTable([{ path: '/pets/{id}', parameters }]);
  const base = await serve(createRouter(table, { operation: echo }));
  const answer = await send(base, '/pets/1?limit=1&limit=2');
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({
    detail: 'query.limit is given more than once. header.X-Tags is missing.',
    errors: [
      { in: 'query', pointer: '/limit' },
      { in: 'header', pointer: '/X-Tags' },
    ],
  });
});

it('says where a schema of a parameter does not hold', async () => {
  const validateParameters: Validator = (data) => {
    const { id } = (data as { path: { id: unknown } }).path;
    validateParameters.errors = [
      { instancePath: '/path/id', schemaPath: '#', keyword: 'type', params: { type: 'integer' } },
    ];
    return typeof id === 'number';
  };
  const table = toTable([
    { path: '/pets/{id}', parameters: parameters.slice(0, 1), validateParameters },
  ]);
  const base = await serve(createRouter(table, { operation: echo }));
  const answer = await send(base, '/pets/x');
  expect(JSON.parse(answer.text)).toMatchObject({
    detail: 'path.id must be an integer.',
    errors: [{ in: 'path', pointer: '/id' }],
  });
});

it('refuses broken percent-encoding, which is no path of anything', async () => {
  const table = toTable([{ path: '/pets/{id}', parameters: parameters.slice(0, 1) }]);
  const base = await serve(createRouter(table, { operation: echo }));
  for (const path of ['/pets/%', '/pets/%zz', '/pets/%c3%28', '/pets/%ed%a0%80']) {
    const answer = await send(base, path);
    expect([answer.status, JSON.parse(answer.text).detail]).toEqual([
      400,
      'path.id has broken percent-encoding.',
    ]);
  }
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
  const answer = await send(base, '/run/a%2Fb//%zz/?x=%&y');
  expect(answer.json).toEqual(['a%2Fb//%zz/', '/run/a%2Fb//%zz/', 'x=%&y']);
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
