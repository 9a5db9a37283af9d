import { BerthError, unwrapEnvelope } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { gatewayWith, storageAt, storageWith } from './support/clients.ts';
import { json, list } from './support/responses.ts';
import { refuse, startServer } from './support/servers.ts';

type Item = { id: number; name: string };
type Json<Body> = { content: { 'application/json': Body } };

/** What `openapi-typescript` writes for the document of a service. */
interface Orders {
  '/items': { post: { requestBody: Json<Item>; responses: { 201: Json<Item> } } };
  '/items/{id}': { get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } } };
}
const ITEM = { id: 42, name: 'Anchor' };

describe('GET and POST of the document of a service', () => {
  it('send what middleware returns', async () => {
    const { gateway, requests } = gatewayWith([json({ a: 1 })]);
    const { POST, use } = gateway.service<Orders>('x');
    const init = { body: '{"replaced":true}', headers: { 'X-A': 'a' } };
    use({ onRequest: ({ request }) => new Request(request, init) });
    // A path without its `/` must not become part of the name of the service.
    const path = 'items' as string as '/items';
    expect((await POST(path, { body: ITEM })).data).toEqual({ a: 1 });
    expect(requests[0]?.url).toBe('https://g.example/v1/cloudrun/x/items');
    expect(requests[0]?.headers.get('X-A')).toBe('a');
    expect(await requests[0]?.json()).toEqual({ replaced: true });
  });

  it.each([
    ['/items/{id}', {}],
    ['/items/{id}', { path: { id: '' } }],
    ['/items/{id}', { path: { id: [] } }],
    ['/items/{id}', { path: { id: '..' } }],
    ['/items/{id}', { path: { id: '\ud800' } }],
  ])('reject an incomplete or changed path: %s, %j', async (path, params) => {
    const { GET } = gatewayWith([]).gateway.service<Orders>('x');
    const call = GET(path as '/items/{id}', { params: params as never });
    await expect(call).rejects.toMatchObject({ kind: 'options' });
  });
});

it('a call that returns a stream returns nothing for a response without a body', async () => {
  const { gateway } = gatewayWith([new Response(null)]);
  const init = { params: { path: { name: 'x' } }, parseAs: 'stream' } as const;
  expect((await gateway.GET('/v1/cloudrun/{name}', init)).data).toBeNull();
});

it('middleware of the gateway changes the calls of its services', async () => {
  const { gateway, requests } = gatewayWith([json({ a: 1 })]);
  gateway.use({
    onRequest: ({ request }) => request.headers.set('X-A', 'a') as undefined,
    onResponse: () => json({ b: 2 }),
  });
  expect(await gateway.service('x').post('a', ITEM)).toEqual({ b: 2 });
  expect(requests[0]?.headers.get('X-A')).toBe('a');
  expect(await requests[0]?.json()).toEqual(ITEM);
});

it('a failure that middleware reports is retried, but not what a schema throws', async () => {
  const responses = [json({}), json({ a: 1 }), json({})];
  const { gateway, service, requests } = gatewayWith(responses, { retry: { delay: 0 } });
  const failure = () => (requests.length === 1 ? json({}, { status: 503 }) : undefined);
  gateway.use({ onResponse: failure });
  expect(await service.get('a')).toEqual({ a: 1 });
  const wrong = new TypeError('wrong');
  const validate = async () => Promise.reject(wrong);
  const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  await expect(service.get('a', { schema })).rejects.toBe(wrong);
  expect(requests).toHaveLength(3);
});

const mine = new BerthError('network', 'mine', { retryable: true });
it.each([
  ['its own error', mine, mine],
  ['an error', undefined, { kind: 'options', message: 'Middleware must clone the response.' }],
])('middleware that reads a response ends the call with %s', async (_, thrown, expected) => {
  const retry = { delay: 0 };
  const { gateway, service, requests } = gatewayWith([json({}), json({})], { retry });
  gateway.use({
    async onResponse({ response }) {
      await response.text();
      if (thrown) throw thrown;
    },
  });
  const raw = gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
  for (const call of [service.get('a'), raw]) await expect(call).rejects.toMatchObject(expected);
  expect(requests).toHaveLength(2);
});

describe('POST of the storage', () => {
  const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';

  it('may name another environment, and passes through middleware like all calls', async () => {
    const deleted = { fileID: 'a', code: 'SUCCESS' };
    const { storage, requests } = storageWith([list(), list(deleted), list(deleted)]);
    const onRequest = ({ request }: { request: Request }) => request.headers.set('trace', '1');
    const tracing = { onRequest };
    storage.use(tracing);
    const params = { path: { envId: 'test' } };
    const { data } = await storage.POST(DELETE, { params, body: { fileList: ['a'] } });
    expect(data?.body.data?.fileList).toEqual([]);
    await storage.delete('a');
    storage.eject(tracing);
    await storage.delete('a');
    expect(requests[0]?.url).toContain('/envs/test/storages:batchDelete');
    expect(requests.map(({ headers }) => headers.get('trace'))).toEqual(['1', '1', null]);
    expect(await requests[1]?.json()).toEqual({ fileList: ['a'] });
  });

  it('CL-ERROR-STORAGE: has the path in its error, even if the length of the response is unknown', async () => {
    await using server = await startServer(refuse('SYS_ERR', 403));
    const call = storageAt(server.url).POST(DELETE, { body: { fileList: ['a'] } });
    const path = '/api/v2/envs/dev/storages:batchDelete';
    await expect(call.then(unwrapEnvelope)).rejects.toMatchObject({ method: 'POST', path });
  });
});
