import { text } from 'node:stream/consumers';
import { createRouter, type Handlers, type Router } from '@berth/server-stubs/runtime';
import express5 from 'express';
import express4 from 'express4';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { NAMED, toTable } from './support/to-table.ts';

const BODY = { required: true, content: [NAMED] };
const TABLE = toTable([
  { path: '/pets', method: 'POST', operationId: 'add', body: BODY },
  { path: '/raw', method: 'POST', operationId: 'raw', passThrough: true },
]);

const onError = vi.fn();
beforeEach(() => void onError.mockClear());

function createTestRouter(): Router {
  const handlers: Handlers = {
    add: ({ body }) => ({ status: 200, body }),
    raw: async ({ body }) => ({ status: 200, body: await text(body) }),
  };
  return createRouter(TABLE, handlers, { onError });
}

type Start = () => Promise<string>;
type Express = typeof express5;

function withExpress(express: Express, order: 'before' | 'after' | 'under'): Start {
  return () => {
    const app = express();
    if (order === 'after') app.use(express.json());
    if (order === 'under') app.use('/api', createTestRouter());
    else app.use(createTestRouter());
    if (order === 'before') app.use(express.json());
    app.get('/other', (_request, response) => void response.send('other'));
    return serve(app);
  };
}

const starts: [string, Start][] = [
  ['Express 5 before express.json()', withExpress(express5, 'before')],
  ['Express 5 after express.json()', withExpress(express5, 'after')],
  ['Express 4 before express.json()', withExpress(express4, 'before')],
  ['Express 4 after express.json()', withExpress(express4, 'after')],
];

describe.each(starts)('%s', (name, start) => {
  const json = { 'content-type': 'application/json' };
  const post = (base: string, path: string, body: string, headers: Record<string, string> = json) =>
    send(base, path, { method: 'POST', headers, body });

  it('validates and responds', async () => {
    const base = await start();
    const good = await post(base, '/pets', '{ "name": "é" }');
    expect([good.status, good.json]).toEqual([200, { name: 'é' }]);
    const bad = await post(base, '/pets', '{"name":1}');
    expect([bad.status, JSON.parse(bad.text).detail]).toEqual([
      400,
      'body.name must be a string, got a number.',
    ]);
    const hostile = await post(base, '/pets', '{"name":"a","__proto__":{"x":1}}');
    expect([hostile.status, hostile.text]).toEqual([400, expect.stringContaining('__proto__')]);
    expect((await send(base, '/other')).text).toBe('other');
  });

  it('passes raw requests, unless express.json() has read them', async () => {
    const raw = await post(await start(), '/raw', '{ "name": "a" }');
    if (!name.includes('after')) return expect(raw.text).toBe('{ "name": "a" }');
    expect(raw.status).toBe(500);
    expect(onError.mock.calls[0]?.[0].message).toMatch(/mount the router before it/);
  });
});

it.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s may mount it under a path', async (_name, express) => {
  const base = await withExpress(express, 'under')();
  const headers = { 'content-type': 'application/json' };
  const response = await send(base, '/api/pets', { method: 'POST', headers, body: '{"name":"a"}' });
  expect(response.json).toEqual({ name: 'a' });
});
