import { bearer } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf, gatewayAt, gatewayWith, json } from './support/clients.ts';
import { faultServer, reset, serve } from './support/servers.ts';

interface Item {
  id: number;
  name: string;
}
interface Json<Body> {
  content: { 'application/json': Body };
}

/** What `openapi-typescript` writes for the document of a service. */
interface Orders {
  '/items': {
    get: { responses: { 200: Json<Item[]> } };
    post: { requestBody: Json<Item>; responses: { 201: Json<Item> } };
  };
  '/items/{id}': {
    get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } };
  };
}
const ITEM = { id: 42, name: 'Anchor' };

describe('GET and POST of a document', () => {
  const ok = serve({ a: 1 });
  const ordersAt = (baseUrl: string, options: object = {}) =>
    gatewayAt(baseUrl, options).service<Orders>('x');

  it('are retried and get credentials like any other call', async () => {
    await using server = await faultServer(reset, ok, reset, reset, ok);
    const { GET, POST } = ordersAt(server.baseUrl, { auth: bearer('t') });
    expect((await GET('/items')).data).toEqual({ a: 1 });
    const post = POST('/items', { body: ITEM });
    expect(await failureOf(post)).toMatchObject({ kind: 'network', method: 'POST' });
    expect(server.calls).toHaveLength(3);
    const init = { body: ITEM, idempotent: true };
    expect((await POST('/items', init)).data).toEqual({ a: 1 });
    for (const { headers } of server.calls) expect(headers.authorization).toBe('Bearer t');
  });

  it('send what middleware returns, and reject with what it throws', async () => {
    const { gateway, requests } = gatewayWith([json({ a: 1 })]);
    const { POST, use } = gateway.service<Orders>('x');
    const init = { body: '{"replaced":true}', headers: { 'X-A': 'a' } };
    use({ onRequest: ({ request }) => new Request(request, init) });
    expect((await POST('/items', { body: ITEM })).data).toEqual({ a: 1 });
    expect(requests[0]?.headers.get('X-A')).toBe('a');
    expect(await requests[0]?.json()).toEqual({ replaced: true });
    const reason = new Error('no');
    use({ onRequest: () => Promise.reject(reason) });
    expect(await failureOf(POST('/items', { body: ITEM }))).toBe(reason);
  });

  it('of the gateway pass their middleware on to its services', async () => {
    const { gateway, requests } = gatewayWith([json({ a: 1 })]);
    gateway.use({
      onRequest: ({ request }) => request.headers.set('X-A', 'a') as undefined,
      onResponse: () => json({ b: 2 }),
    });
    expect(await gateway.service('x').post('a', ITEM)).toEqual({ b: 2 });
    expect(requests[0]?.headers.get('X-A')).toBe('a');
    expect(await requests[0]?.json()).toEqual(ITEM);
  });

  it.each([
    ['/items/{id}', {}],
    ['/items/{id}', { path: { id: '' } }],
    ['/items/{id}', { path: { id: '..' } }],
    ['items', {}],
  ])(
    'reject a path that is incomplete, or that fetch would change: %s, %j',
    async (path, params) => {
      const { GET } = gatewayWith([]).gateway.service<Orders>('x');
      const call = GET(path as '/items/{id}', { params: params as never });
      expect(await failureOf(call)).toMatchObject({ kind: 'options' });
    },
  );
});
