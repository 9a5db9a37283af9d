import { describe, expect, it } from 'vitest';
import { failureOf, gatewayWith, json } from './support/clients.ts';

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
  '/items/{id}': { get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } } };
}
const ITEM = { id: 42, name: 'Anchor' };

describe('GET and POST of a document', () => {
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
