import { bearer, type GatewayClient } from '@berth/client';
import type { Middleware } from 'openapi-fetch';
import { describe, expect, it } from 'vitest';
import { failureOf, json } from './support/fake-fetch.ts';
import { type Act, faultServer, reset, serve, stall, truncate } from './support/fault-server.ts';
import { gatewayAt, gatewayWith } from './support/gateway.ts';

const ROOT = '/v1/cloudrun/{name}';
const params = { path: { name: 'x' } };

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
    get: { parameters: { query?: { limit?: number } }; responses: { 200: Json<Item[]> } };
    post: {
      requestBody: Json<Item>;
      responses: { 201: Json<Item>; 422: Json<{ problems: string[] }> };
    };
  };
  '/items/{id}': {
    get: { parameters: { path: { id: number } }; responses: { 200: Json<Item> } };
  };
}
const ITEM = { id: 42, name: 'Anchor' };

interface Init {
  readonly idempotent?: boolean;
  readonly middleware?: Middleware[];
  readonly parseAs?: 'stream' | 'text';
}

/** The calls of the contract and those of a service's document, which must behave alike. */
const CLIENTS = [
  {
    name: 'gateway',
    create: (gateway: GatewayClient) => ({
      use: gateway.use,
      eject: gateway.eject,
      get: (init?: Init) => gateway.GET(ROOT, { params, ...init }),
      post: (body: Item, init?: Init) => gateway.POST(ROOT, { params, ...init, body: { ...body } }),
    }),
  },
  {
    name: 'service<paths>',
    create(gateway: GatewayClient) {
      const { use, eject, GET, POST } = gateway.service<Orders>('x');
      return {
        use,
        eject,
        get: (init?: Init) => GET('/items', { ...init }),
        post: (body: Item, init?: Init) => POST('/items', { ...init, body }),
      };
    },
  },
];

describe.each(CLIENTS)('GET and POST of $name', ({ create }) => {
  const ok = serve({ a: 1 });

  it('return data or an error, and never throw for a status', async () => {
    const refusal = { code: 'SERVICE_NOT_FOUND', message: 'No.', requestId: 'r' };
    const responses = [
      json(ITEM),
      json(refusal, { status: 404 }),
      new Response('no', { status: 500 }),
    ];
    const { gateway } = gatewayWith([...responses, new Response(null, { status: 204 })]);
    const client = create(gateway);
    expect(await client.get()).toMatchObject({ data: ITEM, response: { status: 200 } });
    expect(await client.get()).toMatchObject({ error: refusal, response: { status: 404 } });
    expect(await client.get()).toMatchObject({ error: 'no', response: { status: 500 } });
    expect(await client.get()).toMatchObject({ data: undefined, response: { status: 204 } });
  });

  it('are retried and get credentials like any other call', async () => {
    await using server = await faultServer(reset, ok, reset, reset, ok);
    const client = create(gatewayAt(server.baseUrl, { auth: bearer('t') }));
    expect((await client.get()).data).toEqual({ a: 1 });
    expect(await failureOf(client.post(ITEM))).toMatchObject({ kind: 'network', method: 'POST' });
    expect(server.calls).toHaveLength(3);
    expect((await client.post(ITEM, { idempotent: true })).data).toEqual({ a: 1 });
    for (const { headers } of server.calls) expect(headers.authorization).toBe('Bearer t');
  });

  it.each<[string, Act, string]>([
    ['an interrupted response', truncate, 'network'],
    ['a body that never ends', stall, 'timeout'],
  ])('reject with an error of the client for %s', async (_, fault, kind) => {
    await using server = await faultServer(fault);
    const client = create(gatewayAt(server.baseUrl, { timeout: 100 }));
    expect(await failureOf(client.get())).toMatchObject({ kind, method: 'GET' });
  });

  it('read the body as parseAs says, and a stream without a time limit', async () => {
    const { gateway } = gatewayWith([new Response('[1]'), new Response('[1]')], {
      timeout: 60_000,
    });
    const client = create(gateway);
    expect((await client.get({ parseAs: 'text' })).data).toBe('[1]');
    const { data } = await client.get({ parseAs: 'stream' });
    expect(await new Response(data as unknown as ReadableStream).text()).toBe('[1]');
  });

  it('support middleware, which may replace the request, the response and the error', async () => {
    await using server = await faultServer(ok, ok, ok, reset);
    let sent: unknown;
    server.server.on('request', async (request) => {
      sent = JSON.parse(String(Buffer.concat(await request.toArray())) || 'null');
    });
    const client = create(gatewayAt(server.baseUrl, { retry: false }));
    const replace = {
      onRequest: ({ request }: { request: Request }) =>
        new Request(request.url, {
          method: request.method,
          headers: { 'X-A': 'a', 'Content-Type': 'application/json' },
          body: request.body && '{"replaced":true}',
        }),
      onResponse: () => json({ b: 2 }),
      onError: () => new Error('replaced'),
    };
    client.use(replace);
    expect((await client.post(ITEM)).data).toEqual({ b: 2 });
    expect([sent, server.calls[0]?.headers['x-a']]).toEqual([{ replaced: true }, 'a']);
    client.eject(replace);
    expect((await client.post(ITEM)).data).toEqual({ a: 1 });
    expect([sent, server.calls[1]?.headers['x-a']]).toEqual([ITEM, undefined]);
    expect((await client.get({ middleware: [replace] })).data).toEqual({ b: 2 });
    const failed = client.get({ middleware: [replace] });
    expect(await failureOf(failed)).toMatchObject({ message: 'replaced' });
  });

  it('reject what middleware throws as it is', async () => {
    const { gateway } = gatewayWith([]);
    const client = create(gateway);
    const reason = new Error('no');
    client.use({
      onRequest() {
        throw reason;
      },
    });
    expect(await failureOf(client.get())).toBe(reason);
  });
});

it('middleware of the gateway is used by the calls of its services', async () => {
  const { gateway, requests } = gatewayWith([json({ a: 1 })]);
  gateway.use({
    onRequest: ({ request }) => request.headers.set('X-A', 'a') as undefined,
    onResponse: () => json({ b: 2 }),
  });
  expect(await gateway.service('x').post('a', ITEM)).toEqual({ b: 2 });
  expect(requests[0]?.headers.get('X-A')).toBe('a');
  expect(await requests[0]?.json()).toEqual(ITEM);
});

describe('calls of a document', () => {
  it('fill in path and query parameters', async () => {
    const { gateway, requests } = gatewayWith([json([ITEM]), json(ITEM)]);
    const orders = gateway.service<Orders>('orders');
    const { data } = await orders.GET('/items', { params: { query: { limit: 2 } } });
    expect(data?.[0]?.name).toBe('Anchor');
    await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
    expect(requests.map(({ url }) => url)).toEqual([
      'https://g.example/v1/cloudrun/orders/items?limit=2',
      'https://g.example/v1/cloudrun/orders/items/42',
    ]);
  });

  it.each<[string, unknown]>([
    ['missing', {}],
    ['empty', { path: { id: '' } }],
    ['changed by fetch', { path: { id: '..' } }],
  ])('reject a path parameter that is %s', async (_, wrong) => {
    const { gateway, requests } = gatewayWith([]);
    const call = gateway.service<Orders>('x').GET('/items/{id}', { params: wrong as never });
    expect(await failureOf(call)).toMatchObject({ kind: 'options' });
    expect(requests).toEqual([]);
  });
});
