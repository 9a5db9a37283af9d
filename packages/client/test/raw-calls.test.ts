import { createGatewayClient, type GatewayClientOptions, toGatewayError } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf, fakeFetch, json, list } from './support/fake-fetch.ts';
import { type Act, faultServer, reset, serve, stall, truncate } from './support/fault-server.ts';
import { storageWith } from './support/storage.ts';

const ROOT = '/v1/cloudrun/{name}';
const params = { path: { name: 'hello' } };
const gatewayAt = (baseUrl: string, options: Partial<GatewayClientOptions> = {}) =>
  createGatewayClient({ retry: { baseDelay: 1 }, ...options, baseUrl } as GatewayClientOptions);

describe('raw calls', () => {
  const ok = serve({ a: 1 });

  it('find the gateway of an environment, and send common headers', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    const address = { envId: 'dev', gatewayDomain: 'gateway.example', headers: { 'X-A': 'a' } };
    await createGatewayClient({ ...address, fetch }).GET(ROOT, { params });
    expect(requests[0]?.url).toBe('https://dev.gateway.example/v1/cloudrun/hello');
    expect(requests[0]?.headers.get('X-A')).toBe('a');
  });

  it('are retried by the same rules', async () => {
    await using server = await faultServer(reset, ok, reset, ok);
    const gateway = gatewayAt(server.baseUrl);
    expect((await gateway.GET(ROOT, { params })).data).toEqual({ a: 1 });
    const error = await failureOf(gateway.POST(ROOT, { params, body: {} }));
    expect(error).toMatchObject({ name: 'NetworkError', method: 'POST' });
    expect(server.calls).toHaveLength(3);
  });

  it.each<[string, Act, string, number?]>([
    ['an interrupted response', truncate, 'NetworkError'],
    ['a body that never ends', stall, 'TimeoutError', 100],
    ['invalid JSON', (_, response) => response.end('{'), 'ContractError'],
  ])('reject with an error of the client on %s', async (_, fault, name, total) => {
    await using server = await faultServer(fault);
    const gateway = gatewayAt(server.baseUrl, { timeouts: { total } });
    expect(await failureOf(gateway.GET(ROOT, { params }))).toMatchObject({ name, method: 'GET' });
  });

  it('support openapi-fetch middleware, even if it creates its own Request', async () => {
    await using server = await faultServer(ok);
    const gateway = gatewayAt(server.baseUrl);
    const replace = {
      onRequest: ({ request }: { request: Request }) =>
        new Request(request.clone(), { headers: { 'x-a': '1' } }),
    };
    gateway.use({ onRequest: ({ request }) => request.headers.set('x-b', '2') as undefined });
    await gateway.GET(ROOT, { params });
    gateway.use(replace);
    await gateway.POST(ROOT, { params, body: { c: 3 } });
    gateway.eject(replace);
    await gateway.GET(ROOT, { params });
    expect(server.calls.map(({ headers }) => [headers['x-a'], headers['x-b']])).toEqual([
      [undefined, '2'],
      ['1', undefined],
      [undefined, '2'],
    ]);
  });

  it('of the storage can name another environment', async () => {
    const { storage, requests } = storageWith([list()]);
    const path = '/api/v2/envs/{envId}/storages:batchDelete';
    await storage.POST(path, { body: { fileList: ['a'] }, params: { path: { envId: 'o/1' } } });
    expect(requests[0]?.url).toContain('/envs/o%2F1/storages:');
  });
});

interface Item {
  id: number;
  name: string;
}
interface Json<Body> {
  content: { 'application/json': Body };
}

/** What `openapi-typescript` writes for the document of a service. */
interface Services {
  orders: {
    '/items': {
      get: { parameters: { query?: { limit?: number } }; responses: { 200: Json<Item[]> } };
      post: {
        requestBody: Json<Item>;
        responses: { 201: Json<Item>; 422: Json<{ problems: string[] }> };
      };
    };
    '/items/{id}': {
      get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } };
      delete: { parameters: { path: { id: number } }; responses: { 204: object } };
    };
  };
}

describe("calls typed by the service's document", () => {
  const ITEM = { id: 42, name: 'Anchor' };
  function ordersWith(...responses: Response[]) {
    const { fetch, requests } = fakeFetch(...responses);
    const options: GatewayClientOptions = { baseUrl: 'https://g.example', fetch };
    return { orders: createGatewayClient<Services>(options).service('orders'), requests };
  }

  it('fill in path and query parameters', async () => {
    const { orders, requests } = ordersWith(json([ITEM]), json(ITEM));
    const { data } = await orders.GET('/items', { params: { query: { limit: 2 } } });
    expect(data?.[0]?.name).toBe('Anchor');
    await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
    expect(requests.map(({ url }) => url)).toEqual([
      'https://g.example/v1/cloudrun/orders/items?limit=2',
      'https://g.example/v1/cloudrun/orders/items/42',
    ]);
  });

  it('return errors from the service and from the gateway', async () => {
    const problems = { problems: ['name'] };
    const ofService = { 'X-Svc-Upstream-Status-Code': '422' };
    const missing = { code: 'SERVICE_NOT_FOUND', message: 'No.', requestId: 'r' };
    const { orders } = ordersWith(
      json(problems, { status: 422, headers: ofService }),
      json(missing, { status: 404, headers: { 'X-Request-Id': 'r' } }),
    );
    const refused = await orders.POST('/items', { body: ITEM });
    expect(refused.error).toEqual(problems);
    expect(toGatewayError(refused)).toMatchObject({ source: 'service', status: 422 });
    const unknown = await orders.POST('/items', { body: ITEM });
    expect(toGatewayError(unknown)).toMatchObject({ source: 'gateway', code: 'SERVICE_NOT_FOUND' });
  });

  it.each<[string, unknown]>([
    ['missing', {}],
    ['empty', { path: { id: '' } }],
    ['rewritten by fetch', { path: { id: '..' } }],
  ])('reject a path parameter that is %s', async (_, params) => {
    const { orders, requests } = ordersWith();
    const call = orders.GET('/items/{id}', { params: params as never });
    expect(await failureOf(call)).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  it('do not compile with a wrong service, path, parameter or body', () => {
    const gateway = createGatewayClient<Services>({ baseUrl: 'https://g.example' });
    const orders = gateway.service('orders');
    // @ts-expect-error: the service is orders
    void (() => gateway.service('order'));
    // @ts-expect-error: the path is /items
    void (() => orders.GET('/item'));
    // @ts-expect-error: params are missing
    void (() => orders.GET('/items/{id}'));
    // @ts-expect-error: an ID is a number
    void (() => orders.GET('/items/{id}', { params: { path: { id: 'a' } } }));
    // @ts-expect-error: the name is missing
    void (() => orders.POST('/items', { body: { id: 1 } }));
    // @ts-expect-error: the gateway does not forward DELETE
    void (() => orders.DELETE('/items/{id}', { params: { path: { id: 1 } } }));
  });
});
