import { bearer, type GatewayAuth } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  failureOf,
  gatewayWith,
  json,
  refused,
  serviceAt,
  storageWith,
} from './support/clients.ts';
import { type Act, faultServer, refuse, serve } from './support/servers.ts';

const BASE = 'https://g.example';

describe('bearer', () => {
  it.each<[GatewayAuth, string]>([
    [bearer('a.b'), 'a.b'],
    [bearer(async () => 'c.d\n'), 'c.d'],
    [{ authorize: ({ method }) => `Bearer ${method}` }, 'GET'],
  ])(
    'CL-BEARER: sends the token of a text, a function or a custom GatewayAuth: %s',
    async (auth, token) => {
      const { gateway, service, requests } = gatewayWith([json({}), json({}), json({})], { auth });
      await service.get();
      await service.request('a');
      await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
      const sent = requests.map(({ headers }) => headers.get('Authorization'));
      expect(sent).toEqual(Array(3).fill(`Bearer ${token}`));
    },
  );

  it('fails with the error of its function, and tries again at the next call', async () => {
    const cause = new Error('down');
    const auth = bearer(vi.fn(async () => 'new').mockRejectedValueOnce(cause));
    const authorize = async () =>
      auth.authorize({ method: 'GET', url: BASE, headers: {}, body: null, now: 0 });
    expect(await failureOf(authorize())).toBe(cause);
    expect(await authorize()).toBe('Bearer new');
  });
});

it('a call fails if a function of the caller does, with its error as the cause', async () => {
  const cause = new Error('down');
  const fail = () => Promise.reject(cause);
  const message = 'The credentials could not be obtained: down';
  const ofGateway = (auth: GatewayAuth) => gatewayWith([refused('A', 401)], { auth }).service.get();
  expect(
    await failureOf(ofGateway(bearer(async () => ({ access_token: 't' }) as never))),
  ).toMatchObject({ message: 'token must be a string, got object.' });
  for (const call of [
    () => ofGateway(bearer(fail)),
    () => ofGateway({ authorize: fail }),
    () => ofGateway({ authorize: () => 'a', refresh: fail }),
    () => storageWith([], { credentials: fail }).storage.delete('a'),
  ]) {
    expect(await failureOf(call())).toMatchObject({ kind: 'options', message, cause });
  }
});

describe('a signer', () => {
  it('that never settles is asked again by the next call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const token = vi.fn<() => string | Promise<string>>(() => new Promise<string>(() => {}));
    const service = serviceAt(BASE, { auth: bearer(token), fetch: async () => json({ a: 1 }) });
    const late = failureOf(service.get('a', { timeout: 1_000 }));
    await vi.advanceTimersByTimeAsync(31_000);
    vi.useRealTimers();
    expect(await late).toMatchObject({ kind: 'timeout' });
    token.mockReturnValue('t2');
    expect(await service.get('a')).toEqual({ a: 1 });
  });
});

describe('after a 401, the token', () => {
  const ok = serve({ a: 1 });
  const expired = refuse('ACCESS_TOKEN_EXPIRED', 401);
  const byToken: Act = (request, response) =>
    (request.headers.authorization === 'Bearer t1' ? expired : ok)(request, response);
  /** Returns a service whose tokens are `t1`, `t2` and so on. */
  const countingAt = (baseUrl: string, options: object = {}) => {
    let count = 0;
    const auth = bearer(async () => `t${++count}`);
    return { service: serviceAt(baseUrl, { auth, retry: false, ...options }), count: () => count };
  };

  it('is renewed once however many calls wait, and each call is executed once', async () => {
    await using server = await faultServer(byToken);
    const { service, count } = countingAt(server.baseUrl);
    const all = Array.from({ length: 20 }, () => service.post('a', {}));
    expect(await Promise.all(all)).toEqual(Array(20).fill({ a: 1 }));
    expect(count()).toBe(2);
    const renewed = server.calls.filter(({ headers }) => headers.authorization === 'Bearer t2');
    expect(renewed).toHaveLength(20);
  });

  it('is renewed once for each call at most, whatever the code', async () => {
    await using server = await faultServer(refuse('A_CODE_OF_ITS_OWN', 401));
    const error = await failureOf(countingAt(server.baseUrl).service.get());
    expect(error).toMatchObject({ code: 'A_CODE_OF_ITS_OWN', status: 401 });
    expect(server.calls).toHaveLength(2);
  });

  it('is renewed after a response without a body', async () => {
    await using server = await faultServer(byToken);
    const { service } = countingAt(server.baseUrl);
    expect((await service.request('a', { method: 'HEAD' })).status).toBe(200);
  });

  it('is kept if the 401 is from the hosted service itself', async () => {
    await using server = await faultServer(serve({ code: 'ACCESS_TOKEN_EXPIRED' }, 401));
    const { service, count } = countingAt(server.baseUrl);
    expect(await failureOf(service.get('a'))).toMatchObject({ kind: 'service', status: 401 });
    expect((await service.request('a', { method: 'HEAD' })).status).toBe(401);
    expect([count(), server.calls.length]).toEqual([1, 2]);
  });

  it('is renewed for the next call if the body is a stream, which is not sent again', async () => {
    await using server = await faultServer(byToken);
    const { service, count } = countingAt(server.baseUrl);
    const post = () => service.post('a', new Blob(['stream']).stream());
    expect(await failureOf(post())).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
    expect([count(), server.calls.length]).toEqual([2, 1]);
    expect(await post()).toEqual({ a: 1 });
  });
});

describe('the server clock after a rejected signature', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server with a wrong clock, which rejects signatures made with any other clock. */
  function clockServer(off: number | undefined, accepts = true) {
    const signed: number[] = [];
    const fetch = async () => {
      const isRight = Math.abs((signed.at(-1) ?? 0) - (off ?? Number.NaN)) <= 30_000;
      if (isRight && accepts) return json({ a: 1 });
      const headers = off === undefined ? {} : { Date: new Date(Date.now() + off).toUTCString() };
      return refused('INVALID_CREDENTIALS', 401, headers);
    };
    const auth = { authorize: ({ now }: { now: number }) => `T ${signed.push(now - Date.now())}` };
    return { service: serviceAt(BASE, { auth, fetch }), signed };
  }

  it.each([3_600_000, -3_600_000, 31_000])('is used if it is %d ms off', async (off) => {
    const { service, signed } = clockServer(off);
    await Promise.all([service.post('a'), service.post('b')]);
    await service.post('c');
    expect(signed).toEqual([0, 0, off, off, off]);
  });

  it.each([30_000, undefined])('changes nothing if it is %s ms off', async (off) => {
    const { service, signed } = clockServer(off, false);
    expect(await failureOf(service.get('a'))).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(signed).toEqual([0]);
  });
});
