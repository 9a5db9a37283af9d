import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceFault } from '../../src/services/services.ts';
import { get, post, type Started, startServices } from './start-services.ts';

const PICTURE = Buffer.from([0, 1, 255]);
const faults: ServiceFault[] = [];
let started: Started;
beforeAll(async () => {
  started = await startServices(
    {
      orders: {
        routes: {
          'GET /orders': { json: [{ id: 'a' }], headers: { 'X-Total': '1' } },
          'POST /orders': { status: 201, json: { id: 'b' } },
          'GET /orders/{id}': ({ params, query, path, target }) => ({
            json: { id: params.id, q: query.get('q'), path, target },
          }),
          'GET /picture': () => ({
            status: 200,
            headers: { 'content-type': 'image/png' },
            body: PICTURE,
          }),
          'GET /text': { text: '中' },
          'GET /none': { status: 204 },
          'POST /json': async (call) => ({ json: { got: await call.json() } }),
          'POST /count': ({ state }) => {
            const count = Number(state.get('count') ?? 0) + 1;
            state.set('count', count);
            return { json: { count } };
          },
          'POST /stream': ({ body, headers }) => ({
            status: 200,
            headers: { 'content-type': String(headers['content-type']) },
            ...(body && { body }),
          }),
          'GET /throws': () => {
            throw new RangeError('out of stock');
          },
          'GET /nothing': (() => undefined) as never,
          'GET /headers': ({ headers }) => ({ json: headers }),
          'GET /late/{id}': async ({ signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            left();
            return { json: null };
          },
        },
      },
    },
    { onFault: (fault) => faults.push(fault) },
  );
});
afterAll(() => started[Symbol.asyncDispose]());
let left = () => {};

describe('a static response', () => {
  test('has its status, headers and body, and the headers of the gateway', async () => {
    const response = await get(started, 'orders/orders');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([{ id: 'a' }]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'attachment',
      'x-total': '1',
      'x-svc-upstream-status-code': '200',
    });
    const created = await post(started, 'orders/orders', '{}');
    expect([created.status, await created.json()]).toEqual([201, { id: 'b' }]);
    expect(created.headers.has('content-disposition')).toBe(false);
  });

  test('may be text, bytes or nothing', async () => {
    const text = await get(started, 'orders/text');
    expect([text.headers.get('content-type'), await text.text()]).toEqual([
      'text/plain; charset=utf-8',
      '中',
    ]);
    const picture = await get(started, 'orders/picture');
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(Uint8Array.of(0, 1, 255));
    expect((await get(started, 'orders/none')).status).toBe(204);
  });

  test.each(['orders/orders', 'orders/orders/1'])(
    'HEAD of %s is its GET without the body',
    async (path) => {
      const whole = await get(started, path);
      const length = String((await whole.arrayBuffer()).byteLength);
      const head = await get(started, path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(length);
    },
  );
});

describe('a function', () => {
  test('gets the request', async () => {
    const response = await get(started, 'orders/orders/a%2Fb%20c?q=1&q=2');
    expect(await response.json()).toEqual({
      id: 'a/b c',
      q: '1',
      path: '/orders/a%2Fb%20c',
      target: '/orders/a%2Fb%20c?q=1&q=2',
    });
  });

  test('gets no credentials, no headers of the mock, and the ID of the call', async () => {
    const response = await get(started, 'orders/headers', {
      headers: { 'X-Mock-Fault': 'latency=0', 'X-Own': 'yes', connection: 'keep-alive' },
    });
    const headers = await response.json();
    expect(headers).toMatchObject({
      'x-own': 'yes',
      'x-request-id': response.headers.get('x-request-id'),
    });
    expect(
      Object.keys(headers).filter((name) => /^x-mock|authorization|connection/.test(name)),
    ).toEqual([]);
  });

  test('reads JSON; invalid JSON is a 400 of the service', async () => {
    const good = await post(started, 'orders/json', '{"a":1}');
    expect(await good.json()).toEqual({ got: { a: 1 } });
    const bad = await post(started, 'orders/json', '{');
    expect([bad.status, await bad.json()]).toEqual([
      400,
      { message: 'The body is not valid JSON.' },
    ]);
    const long = await post(started, 'orders/json', ' '.repeat(1024 * 1024 + 1));
    expect(long.status).toBe(413);
    expect(long.headers.get('x-svc-upstream-status-code')).toBe('413');
  });

  test('that throws sends 500 as a service would, and is reported with its location', async () => {
    faults.length = 0;
    const response = await get(started, 'orders/throws');
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: 'The route failed: out of stock' },
    ]);
    expect(response.headers.get('x-svc-upstream-status-code')).toBe('500');
    expect(faults).toEqual([
      expect.objectContaining({
        message: 'GET /throws of the service orders failed: RangeError: out of stock',
      }),
    ]);
    expect((await get(started, 'orders/nothing')).status).toBe(500);
    expect(faults[1]?.message).toContain('the function returned undefined: return a response');
  });

  test('is notified when its caller disconnects', async () => {
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const stop = new AbortController();
    const call = get(started, 'orders/late/1', { signal: stop.signal }).catch(() => {});
    // The call has reached the function once a later one on the same server has a response.
    await get(started, 'orders/orders');
    stop.abort();
    await call;
    await gone;
  });
});

describe('a call that matches no route', () => {
  test('gets a 404 from the service, which suggests the closest route', async () => {
    const response = await get(started, 'orders/ordrs');
    expect(response.status).toBe(404);
    const { message } = await response.json();
    expect(message).toMatch(
      /^No route of service orders matches GET \/ordrs\. Did you mean GET \/orders\?/,
    );
    expect(response.headers.get('x-svc-upstream-status-code')).toBe('404');
    expect(started.requests.list().at(-1)).toMatchObject({ service: 'orders' });
  });

  test('is 405 if a route matches the path with another method', async () => {
    const response = await post(started, 'orders/orders/1', '');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const other = await get(started, 'orders/count');
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('routes', () => {
  const toRoute = (key: string) => [key, () => ({ json: key })] as const;

  test.each([
    ['GET /{id}', '/a%2Fb'],
    ['GET /a', '/a?c=1'],
    ['GET /a?b=1', '/a?x=1&b=1'],
    ['GET /{x}/b', '/x/b'],
    ['GET /a/{y}', '/a/b'],
    ['GET /a/*', '/a/%2F//b'],
    ['GET /*', '/'],
    ['GET /中', '/%E4%B8%AD'],
  ])('%s is the most specific one for %s', async (key, target) => {
    const keys = ['GET /*', 'GET /a/*', 'GET /{id}', 'GET /a', 'GET /a?b=1', 'GET /{x}/b'];
    const routes = Object.fromEntries([...keys, 'GET /a/{y}', 'GET /中'].map(toRoute));
    await using all = await startServices({ all: { routes } });
    expect(await (await get(all, `all${target}`)).json()).toBe(key);
  });

  test.each([
    ['GET orders', 'must be a method and a path'],
    ['get /orders', 'did you mean GET?'],
    ['HEAD /orders', 'is not needed'],
    ['GET /a/{id}.json', 'a parameter must be a complete segment'],
    ['GET /*/a', '* must be the last one'],
    ['GET /{id}/{id}', 'has {id} twice'],
  ])('with the key %j are refused', async (key, words) => {
    await expect(startServices({ all: { routes: { [key]: {} } } })).rejects.toThrow(words);
  });
});
