import { events, GatewayError, mswHandlers, routes, type ServiceSocket } from '@berth/mock/msw';
import { describe, expect, it, vi } from 'vitest';
import { BASE, berth, call } from './set-up.ts';

describe('a hosted service', () => {
  it('receives its own path and no credentials', async () => {
    berth.services.set('echo', async (request) => {
      const { authorization, 'x-request-id': id } = Object.fromEntries(request.headers);
      return Response.json([request.method, request.url, await request.text(), id, authorization]);
    });
    const response = await call('echo/a%2Fb?x=1', { method: 'POST', body: 'Hello' });
    const id = response.headers.get('x-request-id');
    const sent = ['POST', 'http://service/a%2Fb?x=1', 'Hello', id, null];
    expect(await response.json()).toEqual(sent);
  });

  it('gets the headers of the gateway', async () => {
    const headers = new Headers({ 'x-request-id': 'own', 'content-disposition': 'inline' });
    for (const cookie of ['a=1', 'b=2']) headers.append('set-cookie', cookie);
    berth.services.set('page', () => new Response('<p>', { headers }));
    const got = await call('page', { headers: { origin: 'https://app.example.com' } });
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'content-disposition': 'attachment',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-svc-upstream-status-code': '200',
    });
    expect(got.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const created = await call('orders', { method: 'POST', body: '{}' });
    expect(created.headers.has('content-disposition')).toBe(false);
    expect(await (await call('page', { method: 'HEAD' })).text()).toBe('');
  });

  it('may throw a GatewayError, fail, or be unreachable', async () => {
    berth.services.set('slow', () => {
      throw new GatewayError('SERVICE_NOT_READY');
    });
    const response = await call('slow');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'SERVICE_NOT_READY' });
    const log = vi.spyOn(console, 'error').mockReturnValue();
    berth.services.set('slow', (() => ({ name: 'Ada' })) as never);
    expect((await call('slow')).headers.get('x-svc-upstream-status-code')).toBe('500');
    berth.services.set('slow', () => Response.error());
    await expect(call('slow')).rejects.toThrow(TypeError);
    const stop = new AbortController();
    berth.services.set('slow', ({ signal }) => {
      stop.abort();
      return Promise.reject(signal.reason);
    });
    await expect(call('slow', { signal: stop.signal })).rejects.toThrow('aborted');
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it('is found by its encoded name, and an unknown one gets advice', async () => {
    expect(await (await call('none')).text()).toContain('Add it to the services option, such as');
    expect(await (await call('%6frders/%37')).json()).toEqual({ id: '7' });
  });

  it('is restored by reset', async () => {
    berth.services.set('orders', () => new Response('other'));
    berth.reset();
    expect(await (await call('orders/7')).json()).toEqual({ id: '7' });
  });
});

const login = (authorization: string) => ({ headers: { authorization } });

it.each([
  ['no service', 404, 'INVALID_PATH', '', {}],
  ['an unknown service', 404, 'SERVICE_NOT_FOUND', 'order/a', {}],
  ['no credentials', 401, 'MISSING_CREDENTIALS', 'orders/a', login('')],
  ['bad credentials', 401, 'INVALID_CREDENTIALS', 'orders/a', login('Basic a')],
  ['a scheme in lower case', 401, 'INVALID_CREDENTIALS', 'orders/a', login('tc3-hmac-sha256 a')],
  ['a bad name', 400, 'INVALID_REQUEST', '7/a', {}],
  ['a name that is not UTF-8', 400, 'INVALID_REQUEST', 'order%FF/a', {}],
  ['another method', 405, 'METHOD_NOT_ALLOWED', 'orders/a', { method: 'PUT' }],
])('rejects a call with %s', async (_, status, code, path, init) => {
  const response = await call(path, init);
  const requestId = response.headers.get('x-request-id');
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code, requestId });
});

it.each<[object, string | RegExp]>([
  [{ services: { 'a/b': () => new Response() } }, /^services: a\/b is not a valid service name/],
  [{ services: { orders: 'http://a' } }, 'services: orders must be a function (request)'],
  [{ services: 5 }, 'services must be an object with services by name, got 5.'],
  [{ services: new Map() }, 'services must be an object with services by name, got [object Map].'],
  [{ baseUrl: '/api' }, "baseUrl must be a URL such as https://api.example.com, got '/api'."],
  [{ env: '' }, /^env must be a host name label .*, such as 'dev', got ''\.$/],
  [{ env: 'a b' }, /^env must be a host name label .*, such as 'dev', got 'a b'\.$/],
  [{ wireprofile: {} }, 'wireprofile is not an option. Did you mean wireProfile?'],
  [{ baseUrl: undefined }, 'Pass baseUrl, gatewayUrl or storageUrl'],
])('rejects the invalid option %j by name', (options, message) => {
  expect(() => mswHandlers({ baseUrl: BASE, ...options })).toThrow(message);
});

it('allows pages of any origin', async () => {
  const headers = { 'access-control-request-headers': 'x-of-mine' };
  const storage = 'api/v2/envs/dev/storages:batchDelete';
  for (const path of ['v1/cloudrun/orders', storage, 'upload', 'files/a']) {
    const response = await fetch(`${BASE}/${path}`, { method: 'OPTIONS', headers });
    expect.soft(response.status, path).toBe(204);
    expect.soft(response.headers.get('access-control-allow-headers')).toMatch(/x-of-mine$/);
    const rejected = await fetch(`${BASE}/${path}`, { method: 'PUT' });
    expect.soft(rejected.headers.get('allow'), path).toMatch(/OPTIONS$/);
    expect.soft(rejected.headers.get('access-control-allow-origin'), path).toBe('*');
  }
});

it('a generator of events ends when the client aborts, or wants no body', async () => {
  let left = Promise.withResolvers<void>();
  async function* count() {
    try {
      for (;;) yield await new Promise<object>((resolve) => setTimeout(resolve, 0, { data: 1 }));
    } finally {
      left.resolve();
    }
  }
  berth.services.set('count', () => events(count()));
  const stop = new AbortController();
  const response = await call('count', { signal: stop.signal });
  expect(response.headers.has('content-disposition')).toBe(false);
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^id: 1\ndata: 1\n\n/);
  stop.abort();
  await left.promise;
  left = Promise.withResolvers();
  await call('count', { method: 'HEAD' });
  await left.promise;
});

describe('WebSockets', () => {
  const connect = (path: string, protocols: string | string[] = 'berth.bearer.any') =>
    new WebSocket(`${BASE.replace('http', 'ws')}/v1/cloudrun/${path}`, protocols);

  const closed = (...args: Parameters<typeof connect>) =>
    new Promise((resolve) => {
      connect(...args).addEventListener('close', ({ code, reason }) => resolve([code, reason]));
    });

  it('send and receive until one side closes', async () => {
    const chat = routes({
      'WS /rooms/:name': async (socket, _, { name }) => {
        for await (const text of socket) await socket.send(`${name} ${socket.protocol}: ${text}`);
      },
    });
    berth.services.set('chat', chat);
    const socket = connect('chat/rooms/a', ['berth.bearer.any', 'chat']);
    const message = new Promise((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(data)),
    );
    socket.addEventListener('open', () => socket.send('Hello'));
    expect(await message).toBe('a chat: Hello');
    socket.close();
  });

  it('drop messages once the handler has returned, as on the server', async () => {
    let kept: AsyncIterable<unknown> = new ReadableStream();
    const webSocket = async (socket: ServiceSocket) => {
      kept = socket;
      await socket.send('done');
    };
    berth.services.set('brief', { webSocket });
    const socket = connect('brief');
    await new Promise((resolve) => socket.addEventListener('message', resolve));
    for (const message of ['late', 'later']) socket.send(message);
    socket.close();
    for await (const message of kept) expect.unreachable(`${message}`);
  });

  it('are authenticated by the headers of a client in Node', async () => {
    berth.services.set('answers', { webSocket: (socket, { url }) => socket.close(4000, url) });
    const init = { protocols: [], ...login('Bearer any') };
    expect(await closed('answers', init as never)).toEqual([4000, 'http://service/']);
  });

  it('close with the reason if nothing handles them', async () => {
    const advice = 'pass the token as the subprotocol berth.bearer.<token>.';
    expect(await closed('orders/a', [])).toEqual([1008, `MISSING_CREDENTIALS: ${advice}`]);
    const invalid = [1008, `INVALID_CREDENTIALS: ${advice}`];
    expect(await closed('orders/a', ['berth.bearer.'])).toEqual(invalid);
    expect(await closed('orders/a')).toEqual([1008, 'No route matches.']);
    expect(await closed('order')).toEqual([1008, 'SERVICE_NOT_FOUND. Did you mean orders?']);
    berth.services.set('plain', () => new Response());
    expect(await closed('plain')).toEqual([1008, 'The service plain has no webSocket.']);
  });
});
