import {
  bearer,
  createGatewayClient,
  type GatewayClientOptions,
  isBerthError,
} from '@berth/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import {
  type Act,
  faultServer,
  hang,
  refuse,
  reset,
  serve,
  stall,
  truncate,
} from './support/fault-server.ts';

const retry = { baseDelay: 1 };
const client = (baseUrl: string, options: Partial<GatewayClientOptions> = {}) =>
  createGatewayClient({ retry, ...options, baseUrl } as GatewayClientOptions);
const ok = serve({ a: 1 });

describe('a GET', () => {
  it.each<[string, Act, object]>([
    ['the connection broke', reset, {}],
    ['the response was interrupted', truncate, {}],
    ['the gateway was not ready', refuse('SERVICE_NOT_READY', 503), {}],
    ['the service is busy', serve({}, 503), {}],
    ['something before the gateway failed', (_, r) => r.writeHead(502).end('<html>'), {}],
  ])('is retried if %s', async (_, fault, options) => {
    await using server = await faultServer(fault, ok);
    expect(await client(server.baseUrl, options).service('x').get('a')).toEqual({ a: 1 });
    expect(server.calls).toHaveLength(2);
  });

  it.each<[string, Act]>([
    ['the service is missing', refuse('SERVICE_NOT_FOUND', 404)],
    ['the service fails by itself', serve({}, 500)],
    ['the service is missing a page', serve({}, 404)],
    ['the service names a code of the gateway', serve({ code: 'SYS_ERR' }, 500)],
  ])('is not retried if %s', async (_, fault) => {
    await using server = await faultServer(fault);
    expect(await failureOf(client(server.baseUrl).service('x').get('a'))).toMatchObject({
      name: 'GatewayError',
      retryable: false,
    });
    expect(server.calls).toHaveLength(1);
  });

  it('is attempted three times at most by default', async () => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503));
    const service = client(server.baseUrl).service('x');
    const error = await failureOf(service.get('a'));
    expect(error).toMatchObject({ code: 'SERVICE_NOT_READY', retryable: true, source: 'gateway' });
    expect(server.calls).toHaveLength(3);
    await failureOf(service.get('a', { retry: { ...retry, attempts: 5 } }));
    expect(server.calls).toHaveLength(8);
    await failureOf(service.get('a', { retry: false }));
    expect(server.calls).toHaveLength(9);
  });
});

const breakRefusal: Act = (_, response) => {
  response.writeHead(503, { 'Content-Length': '100' });
  response.write('{"code":"SERVICE_NOT_READY",', () => response.destroy());
};

describe('a POST', () => {
  const maybeExecuted: [string, Act, object][] = [
    ['the connection broke', reset, {}],
    ['the response was interrupted', truncate, {}],
    ['a refusal was interrupted', breakRefusal, {}],
    ['the service timed out', refuse('SERVICE_TIMEOUT', 504), {}],
    ['the gateway got no valid response', refuse('BAD_GATEWAY', 502), {}],
    ['the service itself says 503', serve({ code: 'SERVICE_NOT_READY' }, 503), {}],
    [
      'a body like an error of the gateway has another request id',
      (_, response) => {
        response.writeHead(503, { 'X-Request-Id': 'r-2', 'Content-Type': 'application/json' });
        response.end('{"code":"SERVICE_NOT_READY","message":"","requestId":"r-1"}');
      },
      {},
    ],
  ];

  it.each(maybeExecuted)('is sent once if %s', async (_, fault, options) => {
    await using server = await faultServer(fault, ok);
    const error = await failureOf(client(server.baseUrl, options).service('x').post('a', {}));
    expect(isBerthError(error)).toBe(true);
    expect(server.calls).toHaveLength(1);
  });

  it.each(maybeExecuted)('is retried, if allowed, after %s', async (_, fault, options) => {
    await using server = await faultServer(fault, ok);
    const service = client(server.baseUrl, options).service('x');
    expect(await service.post('a', {}, { idempotent: true })).toEqual({ a: 1 });
    expect(server.calls).toHaveLength(2);
  });

  it('with a stream is never retried', async () => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503), ok);
    const body = new Blob(['hello']).stream();
    const sent = client(server.baseUrl).service('x').post('a', body, { idempotent: true });
    expect(await failureOf(sent)).toMatchObject({ code: 'SERVICE_NOT_READY' });
    expect(server.calls).toHaveLength(1);
  });
});

describe('raw calls', () => {
  const ROOT = '/v1/cloudrun/{name}';
  const params = { path: { name: 'hello' } };

  it('are retried by the same rules', async () => {
    await using server = await faultServer(reset, ok, reset, ok);
    const gateway = client(server.baseUrl);
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
    const gateway = client(server.baseUrl, { timeouts: { total } });
    expect(await failureOf(gateway.GET(ROOT, { params }))).toMatchObject({ name, method: 'GET' });
  });

  it('support openapi-fetch middleware, even if it creates its own Request', async () => {
    await using server = await faultServer(ok);
    const gateway = client(server.baseUrl);
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
});

describe('no promise hangs', () => {
  it.each<[string, Act]>([
    ['no response comes', hang],
    ['a body does not end', stall],
    ['the body of an error does not end', (_, r) => r.writeHead(503).write('{')],
  ])('past its total time if %s', async (_, fault) => {
    await using server = await faultServer(fault);
    const service = client(server.baseUrl, { timeouts: { total: 100 } }).service('x');
    const calls = [service.get('a?s=5ec4e7'), service.post('a?s=5ec4e7')];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ name: 'TimeoutError', timeout: 100 });
      expect(String(error)).toMatch(
        /^TimeoutError: No response within 100 ms \(\w+ \/v1\/cloudrun\/x\/a\)$/,
      );
    }
  });

  it('even if your own fetch ignores the signal', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const service = client('http://g.example', { fetch, timeouts: { perTry: 20 } }).service('x');
    expect(await failureOf(service.post())).toMatchObject({ name: 'TimeoutError', timeout: 20 });
  });

  it('and nothing is sent if the signal aborts while the credentials are requested', async () => {
    const fetch = vi.fn(async () => Response.json({}));
    const stop = new AbortController();
    const reason = new Error('enough');
    const auth = {
      authorize: async () => {
        stop.abort(reason);
        return 'Bearer t';
      },
    };
    const service = client('http://g.example', { auth, fetch }).service('x');
    expect(await failureOf(service.post('a', {}, { signal: stop.signal }))).toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each<[string, Act]>([
    ['before the response', hang],
    ['within the body', stall],
    ['while it waits', refuse('SERVICE_NOT_READY', 503, { 'Retry-After': '20' })],
  ])('and ends with the reason of its signal %s', async (_, fault) => {
    await using server = await faultServer(fault);
    const stop = new AbortController();
    const reason = new Error('enough');
    const arrived = new Promise<void>((resolve) => server.server.on('request', () => resolve()));
    const call = client(server.baseUrl).service('x').get('a', { signal: stop.signal });
    void arrived.then(() => setTimeout(() => stop.abort(reason), 20));
    expect(await failureOf(call)).toBe(reason);
    expect(server.calls).toHaveLength(1);
    expect(
      await failureOf(client(server.baseUrl).service('x').get('a', { signal: stop.signal })),
    ).toBe(reason);
    expect(server.calls).toHaveLength(1);
  });

  it('only the caller aborts the body of a returned response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using server = await faultServer(stall);
    const stop = new AbortController();
    const service = client(server.baseUrl).service('x');
    const response = await service.request('a', { signal: stop.signal });
    const reading = failureOf(response.text());
    await vi.advanceTimersByTimeAsync(200_000);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await reading).toBe(reason);
  });
});

describe('credentials', () => {
  const expired = refuse('ACCESS_TOKEN_EXPIRED', 401);
  const counting = () => {
    let count = 0;
    return { auth: bearer(async () => `t${++count}`), count: () => count };
  };
  const byToken: Act = (request, response) =>
    (request.headers.authorization === 'Bearer t1' ? expired : ok)(request, response);

  it('are refreshed once however many calls wait, and each call is executed once', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = client(server.baseUrl, { auth, retry: false }).service('x');
    const all = Array.from({ length: 20 }, () => service.post('a', {}));
    expect(await Promise.all(all)).toEqual(Array(20).fill({ a: 1 }));
    expect(count()).toBe(2);
    expect(
      server.calls.filter(({ headers }) => headers.authorization === 'Bearer t2'),
    ).toHaveLength(20);
  });

  it('are refreshed once for each call at most', async () => {
    await using server = await faultServer(expired);
    const { auth } = counting();
    const error = await failureOf(client(server.baseUrl, { auth }).service('x').get());
    expect(error).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED', status: 401 });
    expect(server.calls).toHaveLength(2);
  });

  it.each(['ACCESS_TOKEN_INVALID', 'INVALID_CREDENTIALS', 'A_CODE_OF_ITS_OWN'])(
    'are asked for again after any 401 of the gateway: %s',
    async (code) => {
      const byToken: Act = (request, response) =>
        (request.headers.authorization === 'Bearer t1' ? refuse(code, 401) : ok)(request, response);
      await using server = await faultServer(byToken);
      const { auth, count } = counting();
      const service = client(server.baseUrl, { auth, retry: false }).service('x');
      expect(await service.post('a', {})).toEqual({ a: 1 });
      expect(await service.get('a')).toEqual({ a: 1 });
      expect([count(), server.calls.length]).toEqual([2, 3]);
    },
  );

  it('are kept after a 401 from the hosted service itself', async () => {
    await using server = await faultServer(serve({ code: 'ACCESS_TOKEN_EXPIRED' }, 401));
    const { auth, count } = counting();
    const service = client(server.baseUrl, { auth, retry: false }).service('x');
    for (const call of [service.get('a'), service.get('a')]) {
      expect(await failureOf(call)).toMatchObject({ source: 'service', status: 401 });
    }
    const head = await service.request('a', { method: 'HEAD' });
    expect([head.status, count(), server.calls.length]).toEqual([401, 1, 3]);
  });

  it('are refreshed after a stream is refused, but the stream is not sent again', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = client(server.baseUrl, { auth, retry: false }).service('x');
    const error = await failureOf(service.post('a', new Blob(['stream']).stream()));
    expect(error).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED', status: 401 });
    expect([count(), server.calls.length]).toEqual([2, 1]);
    expect(await service.post('a', new Blob(['stream']).stream())).toEqual({ a: 1 });
    expect([count(), server.calls.length]).toEqual([2, 2]);
  });
});
