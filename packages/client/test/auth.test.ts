import { bearer, type FetchLike, type GatewayAuth } from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countedTokens, gatewayWith, serviceAt, storageWith } from './support/clients.ts';
import { json, refused } from './support/responses.ts';
import { breakOff, type Handler, refuse, rejectT1, serve, startServer } from './support/servers.ts';

afterEach(() => void vi.useRealTimers());

describe('bearer', () => {
  it.each<[GatewayAuth, string]>([
    [bearer('a.b'), 'a.b'],
    [bearer(async () => 'c.d\n'), 'c.d'],
    [{ authorize: ({ method }) => `Bearer ${method}` }, 'GET'],
  ])('CL-BEARER: sends the token of any GatewayAuth: %s', async (auth, token) => {
    const { gateway, service, requests } = gatewayWith([json({}), json({}), json({})], { auth });
    await service.get();
    await service.request('a');
    await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
    const sent = requests.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(Array(3).fill(`Bearer ${token}`));
  });

  it('does not ask again, after a function that failed late, while it asks already', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const late = Promise.withResolvers<string>();
    const token = vi.fn(() => new Promise<string>(() => {})).mockReturnValueOnce(late.promise);
    const { service } = gatewayWith([], { auth: bearer(token) });
    const failed = expect(service.get('a')).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(31_000);
    void service.get('a');
    late.reject(new Error('late'));
    await failed;
    void service.get('a');
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('asks again after a function that does not settle, and ignores its late token', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { promise, resolve } = Promise.withResolvers<string>();
    const token = vi.fn<() => string | Promise<string>>(() => promise);
    const { service, requests } = gatewayWith([json({}), json({})], { auth: bearer(token) });
    const late = expect(service.get('a', { timeout: 1_000 })).rejects.toThrow('after 1000 ms');
    await vi.advanceTimersByTimeAsync(31_000);
    await late;
    token.mockReturnValue('t2');
    await service.get('a');
    resolve('t1');
    await service.get('a');
    const sent = requests.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(['Bearer t2', 'Bearer t2']);
  });
});

it('a call fails if a function of the caller does, and the next call calls it again', async () => {
  const cause = new Error('down');
  const fail = () => Promise.reject(cause);
  const serviceOf = (auth: GatewayAuth) => gatewayWith([refused('A', 401)], { auth }).service;
  const token = vi.fn(async () => 't').mockRejectedValueOnce(cause);
  const { service } = gatewayWith([json({})], { auth: bearer(token) });
  const failures = [
    service.get(),
    serviceOf({ authorize: fail }).get(),
    serviceOf({ authorize: () => 'a', refresh: fail }).get(),
    storageWith([], { credentials: fail }).storage.delete('a'),
  ].map((call) =>
    expect(call).rejects.toMatchObject({
      kind: 'options',
      message: 'The credentials could not be obtained: down',
      cause,
    }),
  );
  await Promise.all(failures);
  expect(await service.get()).toEqual({});
  const wrong = serviceOf(bearer(async () => ({ access_token: 't' }) as never)).get();
  const message = 'token must be a string, got object.';
  await expect(wrong).rejects.toMatchObject({ message });
});

describe('after a 401, the token', () => {
  /** Starts a server, and returns a service of it with its tokens. */
  async function open(...handlers: Handler[]) {
    const server = await startServer(...handlers);
    const { token, auth } = countedTokens();
    return { ...server, token, service: serviceAt(server.url, { auth, retry: false }) };
  }

  // The response to HEAD has no body that could show its code.
  it.each(['POST', 'HEAD'] as const)('is renewed once for all that wait: %s', async (method) => {
    await using server = await open(rejectT1);
    const all = Array.from({ length: 20 }, () => server.service.request('a', { method }));
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    expect(server.token).toHaveBeenCalledTimes(2);
    const sent = server.calls.map(({ headers }) => headers.authorization);
    expect(sent.filter((header) => header === 'Bearer t2')).toHaveLength(20);
  });

  it.each([0, 60_000])('is renewed once by any GatewayAuth, %d ms behind', async (behind) => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const serverTime = { Date: new Date(Date.now() + behind).toUTCString() };
    let token = 't1';
    const refresh = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      token = 't2';
      return true;
    });
    const fetch: FetchLike = async () => (token === 't2' ? json(1) : refused('A', 401, serverTime));
    const auth = { authorize: () => token, refresh };
    const service = serviceAt('https://g.example', { auth, fetch, retry: false });
    const calls = Promise.all(['a', 'b', 'c'].map((path) => service.get(path)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await calls).toEqual([1, 1, 1]);
    expect(refresh).toHaveBeenCalledOnce();
  });

  const rejected = { code: 'A_CODE_OF_ITS_OWN', status: 401 };
  it.each<[string, Handler[], object]>([
    ['even if the body of the 401 breaks off', [breakOff(401), serve({ a: 1 })], { a: 1 }],
    ['at most once for each call', [refuse('A_CODE_OF_ITS_OWN', 401)], rejected],
  ])('is renewed %s', async (_, handlers, expected) => {
    await using server = await open(...handlers);
    expect(await server.service.post('a').catch((error) => error)).toMatchObject(expected);
    expect([server.token.mock.calls.length, server.calls.length]).toEqual([2, 2]);
  });

  it('is kept if the 401 is from the hosted service itself', async () => {
    await using server = await open(serve({ code: 'ACCESS_TOKEN_EXPIRED' }, 401));
    await expect(server.service.get('a')).rejects.toMatchObject({ kind: 'service', status: 401 });
    expect((await server.service.request('a', { method: 'HEAD' })).status).toBe(401);
    expect(server.token).toHaveBeenCalledOnce();
  });

  it('is renewed for the next call if the body is a stream, which is not sent again', async () => {
    await using server = await open(rejectT1);
    const post = () => server.service.post('a', new Blob(['stream']).stream());
    await expect(post()).rejects.toMatchObject({ kind: 'gateway', status: 401 });
    expect(server.calls).toHaveLength(1);
    expect(await post()).toEqual({ a: 1 });
  });
});

describe('the server clock after a rejected signature', () => {
  /** A server whose clock is off, and which rejects signatures made with any other clock. */
  function clockServer(off: number | undefined) {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
    const signed: number[] = [];
    const fetch = async () => {
      if (signed.at(-1) === off) return json({ a: 1 });
      const headers = off === undefined ? {} : { Date: new Date(Date.now() + off).toUTCString() };
      return refused('INVALID_CREDENTIALS', 401, headers);
    };
    const auth = { authorize: ({ now }: { now: number }) => `T ${signed.push(now - Date.now())}` };
    return { service: serviceAt('https://g.example', { auth, fetch }), signed };
  }

  it.each([3_600_000, -3_600_000, 31_000])('is used if it is %d ms off', async (off) => {
    const { service, signed } = clockServer(off);
    await Promise.all([service.post('a'), service.post('b')]);
    await service.post('c');
    expect(signed).toEqual([0, 0, off, off, off]);
  });

  it.each([30_000, undefined])('changes nothing if it is %s ms off', async (off) => {
    const { service, signed } = clockServer(off);
    await expect(service.get('a')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(signed).toEqual([0]);
  });
});
