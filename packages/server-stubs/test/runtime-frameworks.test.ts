import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createTableRouter } from '@berth/server-stubs/runtime';
import express5 from 'express';
import express4 from 'express4';
import { describe, expect, it, vi } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { ANY_JSON, NAMED, toTable } from './support/to-table.ts';

const TABLE = toTable([
  { path: '/pets', method: 'POST', operationId: 'add', body: { required: true, content: [NAMED] } },
  { path: '/any', method: 'POST', body: { required: true, content: [ANY_JSON] } },
  { path: '/raw', method: 'POST', operationId: 'raw', passThrough: true },
]);

const onError = vi.fn();
const router = createTableRouter(
  TABLE,
  {
    add: ({ body }) => ({ status: 200, body }),
    operation: ({ body }) => ({ status: 200, body }),
    raw: async ({ body }) => ({ status: 200, contentType: 'text/csv', body: await text(body) }),
  },
  { onError },
);

const post = (base: string, path: string, body: string) =>
  send(base, path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_name, express) => {
  it.each(['before', 'after'])('validates and responds %s express.json()', async (order) => {
    const app = express();
    if (order === 'after') app.use(express.json());
    app.use(router, express.json());
    app.get('/other', (_request, response) => void response.send('other'));
    const base = await serve(app);
    const good = await post(base, '/pets', '{ "name": "é" }');
    expect([good.status, good.json]).toEqual([200, { name: 'é' }]);
    const bad = await post(base, '/pets', '{"name":1}');
    const detail = 'body.name must be a string, got a number.';
    expect([bad.status, JSON.parse(bad.text).detail]).toEqual([400, detail]);
    expect((await post(base, '/pets', '')).status).toBe(400);
    const hostile = await post(base, '/pets', '{"name":"a","__proto__":{"x":1}}');
    expect([hostile.status, hostile.text]).toEqual([400, expect.stringContaining('__proto__')]);
    expect((await send(base, '/other')).text).toBe('other');
    const raw = await post(base, '/raw', '{ "name": "a" }');
    const sent = { headers: { 'content-type': 'text/csv' }, text: '{ "name": "a" }' };
    if (order === 'before') return expect(raw).toMatchObject(sent);
    expect(raw.status).toBe(500);
    expect(onError.mock.lastCall?.[0].message).toMatch(/mount the router before it/);
  });

  it('accepts a body that another parser has decompressed', async () => {
    const base = await serve(express().use(express.json(), router));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const body = gzipSync('{"name":"a"}');
    const { json } = await send(base, '/pets', { method: 'POST', headers, body });
    expect(json).toEqual({ name: 'a' });
  });

  it('accepts a JSON string that another parser has read', async () => {
    const base = await serve(express().use(express.json({ strict: false }), router));
    expect((await post(base, '/any', '"1"')).json).toBe('1');
  });

  it('may mount the router under a path', async () => {
    const base = await serve(express().use('/api', router));
    expect((await post(base, '/api/pets', '{"name":"a"}')).json).toEqual({ name: 'a' });
  });
});
