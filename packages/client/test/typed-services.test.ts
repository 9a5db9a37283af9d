import { createGatewayClient, type GatewayClientOptions, toGatewayError } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf, fakeFetch, json } from './support/fake-fetch.ts';
import type { Services } from './support/orders.ts';

const ITEM = { id: 42, name: 'Anchor' };

function ordersWith(...responses: Response[]) {
  const { fetch, requests } = fakeFetch(...responses);
  const options: GatewayClientOptions = { baseUrl: 'https://g.example', fetch };
  return { orders: createGatewayClient<Services>(options).service('orders'), requests };
}

describe("calls typed by the service's document", () => {
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
    // Services without a document can still be called.
    void (() => createGatewayClient({ baseUrl: 'https://g.example' }).service('any').get('a'));
  });
});
