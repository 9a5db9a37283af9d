import { bearer, type GatewayAuth, type SignableRequest, tc3 } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, json, refused } from './support/fake-fetch.ts';
import { type Act, faultServer, refuse, serve } from './support/fault-server.ts';
import { gatewayWith, serviceAt } from './support/gateway.ts';

describe('bearer', () => {
  const request: SignableRequest = {
    method: 'GET',
    url: 'https://g.example',
    headers: {},
    body: null,
    now: 0,
  };
  const jwt = (payload: unknown) => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'RS256' })}.${part(payload)}.signature`;
  };
  const at = (auth: GatewayAuth, seconds: number) =>
    auth.authorize({ ...request, now: seconds * 1000 });

  it('CL-BEARER: sends the token of a text, a function or a custom GatewayAuth', async () => {
    const custom: GatewayAuth = { authorize: ({ method }) => `Bearer ${method}` };
    for (const [auth, token] of [
      [bearer('a.b'), 'a.b'],
      [bearer(async () => 'c.d\n'), 'c.d'],
      [custom, 'GET'],
    ] as const) {
      const { gateway, service, requests } = gatewayWith([json({}), json({}), json({})], { auth });
      await service.get();
      await service.request('a');
      await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
      for (const { headers } of requests)
        expect(headers.get('Authorization')).toBe(`Bearer ${token}`);
    }
  });

  it('replaces a JWT 30 s before its exp, with one call for all that wait', async () => {
    const tokens = [jwt({ exp: 1_000, name: '中>>>???' }), jwt({ exp: 2_000 })];
    const [first, second] = tokens.map((token) => `Bearer ${token}`);
    const provider = vi.fn(() => tokens.shift() as string);
    const auth = bearer(provider);
    expect(await at(auth, 0)).toBe(first);
    expect(await at(auth, 969.999)).toBe(first);
    expect(await Promise.all([at(auth, 970), at(auth, 970)])).toEqual([second, second]);
    expect(await at(auth, 1_969)).toBe(second);
    expect(provider).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['no exp', jwt({ sub: 'a' })],
    ['an exp that is not a number', jwt({ exp: '1' })],
    ['a payload that is not JSON', 'a.b.c'],
    ['no parts', 'opaque'],
  ])('keeps a token with %s', async (_, token) => {
    const provider = vi.fn(() => token);
    const auth = bearer(provider);
    for (const time of [0, 10 ** 10]) expect(await at(auth, time)).toBe(`Bearer ${token}`);
    expect(provider).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['', 'The token is empty.'],
    [undefined as never, 'The token is empty.'],
    [' bearer  5ec4e7', 'The token must not include "Bearer".'],
  ])('rejects the token %j', async (token, message) => {
    const error = expect.objectContaining({ kind: 'options', message });
    expect(() => bearer(token)).toThrow(error);
    await expect(bearer(() => token).authorize(request)).rejects.toThrow(error);
  });

  it('fails with the error of its function as the cause, and tries again at the next call', async () => {
    const provider = vi.fn(async () => 'new').mockResolvedValueOnce('old');
    const auth = bearer(provider);
    await auth.authorize(request);
    const cause = new Error('down');
    provider.mockRejectedValueOnce(cause);
    expect(await failureOf(auth.refresh?.('Bearer old') as Promise<unknown>)).toMatchObject({
      kind: 'options',
      message: 'The token could not be obtained: Error: down',
      cause,
    });
    expect(await auth.authorize(request)).toBe('Bearer new');
  });
});

describe('a signer', () => {
  it('sees each attempt as it is sent', async () => {
    const seen: unknown[] = [];
    const auth: GatewayAuth = {
      authorize({ now: _, ...request }) {
        seen.push(structuredClone(request));
        return undefined;
      },
    };
    const responses = [refused('SERVICE_NOT_READY', 503), json({})];
    const options = { auth, headers: { 'X-A': 'a' }, retry: { delay: 1 } };
    await gatewayWith(responses, options).service.post('d?e', 'b');
    const url = 'https://g.example/v1/cloudrun/x/d?e';
    const headers = { 'content-type': 'text/plain;charset=UTF-8', 'x-a': 'a' };
    const attempt = { method: 'POST', url, body: 'b', headers };
    expect(seen).toEqual([attempt, attempt]);
  });

  it('is not called for a call with its own Authorization header, which is never renewed', async () => {
    const auth = { authorize: vi.fn(() => 'Bearer t'), refresh: vi.fn(async () => true) };
    const { service, requests } = gatewayWith([refused('ACCESS_TOKEN_EXPIRED', 401)], { auth });
    const headers = { Authorization: 'Bearer mine' };
    expect(await failureOf(service.get('', { headers }))).toMatchObject({ status: 401 });
    expect(requests.map((request) => request.headers.get('Authorization'))).toEqual([
      'Bearer mine',
    ]);
    expect([auth.authorize.mock.calls, auth.refresh.mock.calls]).toEqual([[], []]);
  });

  it("signs for the page's host if the base URL has none", async () => {
    vi.stubGlobal('location', { href: 'https://page.example/app' });
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const auth = tc3({ secretId: 'id', secretKey: 'key' });
    const { requests, gateway } = gatewayWith([json({}), json({})], { auth });
    await gateway.service('x').get();
    const fetch = async (url: string, init: RequestInit) => {
      requests.push(new Request(url, init));
      return json({});
    };
    for (const baseUrl of ['/api', 'https://page.example/api']) {
      await serviceAt(baseUrl, { auth, fetch }).get();
    }
    vi.useRealTimers();
    vi.unstubAllGlobals();
    const [foreign, relative, absolute] = requests.map(({ headers }) =>
      headers.get('Authorization'),
    );
    expect(relative).toMatch(/^TC3-HMAC-SHA256 Credential=id/);
    expect(relative).toBe(absolute);
    expect(relative).not.toBe(foreign);
  });
});

describe('after a 401, the token', () => {
  const ok = serve({ a: 1 });
  const expired = refuse('ACCESS_TOKEN_EXPIRED', 401);
  const byToken: Act = (request, response) =>
    (request.headers.authorization === 'Bearer t1' ? expired : ok)(request, response);
  const counting = () => {
    let count = 0;
    return { auth: bearer(async () => `t${++count}`), count: () => count };
  };

  it('is renewed once however many calls wait, and each call is executed once', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = serviceAt(server.baseUrl, { auth, retry: false });
    const all = Array.from({ length: 20 }, () => service.post('a', {}));
    expect(await Promise.all(all)).toEqual(Array(20).fill({ a: 1 }));
    expect(count()).toBe(2);
    const renewed = server.calls.filter(({ headers }) => headers.authorization === 'Bearer t2');
    expect(renewed).toHaveLength(20);
  });

  it('is renewed even if a call with its own header is rejected at the same time', async () => {
    const { promise: bothSent, resolve } = Promise.withResolvers<void>();
    let count = 0;
    const fetch = async () => {
      count += 1;
      if (count === 2) resolve();
      await bothSent;
      return count > 2 ? json({ a: 1 }) : refused('ACCESS_TOKEN_EXPIRED', 401);
    };
    const service = serviceAt('https://g.example', { ...counting(), fetch });
    const mine = failureOf(service.get('', { headers: { Authorization: 'Bearer mine' } }));
    expect(await service.get()).toEqual({ a: 1 });
    expect(await mine).toMatchObject({ status: 401 });
  });

  it('is renewed once for each call at most, whatever the code', async () => {
    await using server = await faultServer(refuse('A_CODE_OF_ITS_OWN', 401));
    const error = await failureOf(serviceAt(server.baseUrl, counting()).get());
    expect(error).toMatchObject({ code: 'A_CODE_OF_ITS_OWN', status: 401 });
    expect(server.calls).toHaveLength(2);
  });

  it('is kept if the 401 is from the hosted service itself', async () => {
    await using server = await faultServer(serve({ code: 'ACCESS_TOKEN_EXPIRED' }, 401));
    const { auth, count } = counting();
    const service = serviceAt(server.baseUrl, { auth, retry: false });
    expect(await failureOf(service.get('a'))).toMatchObject({ kind: 'service', status: 401 });
    expect((await service.request('a', { method: 'HEAD' })).status).toBe(401);
    expect([count(), server.calls.length]).toEqual([1, 2]);
  });

  it('is renewed for the next call if the body is a stream, which is not sent again', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = serviceAt(server.baseUrl, { auth, retry: false });
    const post = () => service.post('a', new Blob(['stream']).stream());
    expect(await failureOf(post())).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
    expect([count(), server.calls.length]).toEqual([2, 1]);
    expect(await post()).toEqual({ a: 1 });
  });
});

describe('the server clock after a rejected signature', () => {
  const NOW = Date.UTC(2026, 0, 1);
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server with a wrong clock, which rejects signatures made with any other clock. */
  function clockServer(off: number | undefined, accepts = true) {
    const signed: number[] = [];
    const fetch = async () => {
      const isRight = Math.abs((signed.at(-1) ?? 0) - (off ?? Number.NaN)) <= 30_000;
      if (isRight && accepts) return json({ a: 1 });
      const date = off !== undefined && { Date: new Date(Date.now() + off).toUTCString() };
      return refused('INVALID_CREDENTIALS', 401, { ...date });
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
    const { service, signed } = clockServer(off, false);
    expect(await failureOf(service.get('a'))).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(signed).toEqual([0]);
  });
});
