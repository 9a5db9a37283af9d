import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type GatewayAuth,
  type GatewayClientOptions,
  type SignableRequest,
  tc3,
} from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, fakeFetch, json, list, refused } from './support/fake-fetch.ts';
import { type Act, faultServer, refuse, serve } from './support/fault-server.ts';
import { credentials, storageWith } from './support/storage.ts';

const baseUrl = 'https://dev.gateway.example';
const serviceOf = (options: object) =>
  createGatewayClient({ baseUrl, ...options } as GatewayClientOptions).service('x');

describe('bearer', () => {
  const request: SignableRequest = { method: 'GET', url: baseUrl, headers: {}, body: null, now: 0 };
  const jwt = (payload: unknown) => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'RS256' })}.${part(payload)}.signature`;
  };
  const at = (auth: GatewayAuth, seconds: number) =>
    auth.authorize({ ...request, now: seconds * 1000 });

  it('replaces a JWT 30 s before its exp, by the clock of the server', async () => {
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
    ['', 'token is empty.'],
    [undefined as never, 'token is empty.'],
    [' bearer  5ec4e7', 'token must not include "Bearer".'],
  ])('refuses the token %j', async (token, message) => {
    expect(() => bearer(token)).toThrow(new TypeError(message));
    await expect(bearer(() => token).authorize(request)).rejects.toThrow(new TypeError(message));
  });

  it('drops the old token if a refresh fails', async () => {
    const provider = vi.fn(async () => 'new').mockResolvedValueOnce('old');
    const auth = bearer(provider);
    await auth.authorize(request);
    provider.mockRejectedValueOnce(new Error('down'));
    await expect(auth.refresh?.()).rejects.toThrow('down');
    expect(await auth.authorize(request)).toBe('Bearer new');
  });
});

describe('a signer', () => {
  it('sees each attempt, and adds headers', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    const seen: unknown[] = [];
    const auth: GatewayAuth = {
      authorize({ now: _, ...request }) {
        seen.push(structuredClone(request));
        request.headers['x-date'] = 'today';
        return undefined;
      },
    };
    await serviceOf({ fetch, auth, headers: { 'X-A': 'a' } }).post('d?e', 'b');
    const url = `${baseUrl}/v1/cloudrun/x/d?e`;
    expect(seen).toEqual([{ method: 'POST', url, body: 'b', headers: { 'x-a': 'a' } }]);
    expect(requests[0]?.headers.get('X-Date')).toBe('today');
  });

  it('gives way to the Authorization header of a call', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    await serviceOf({ fetch, auth: bearer('t') }).get('', { headers: { Authorization: 'own' } });
    expect(requests[0]?.headers.get('Authorization')).toBe('own');
  });

  it("signs for the page's host if the URL has none", async () => {
    vi.stubGlobal('location', { href: 'https://page.example/app' });
    vi.useFakeTimers({ now: 0 });
    const { fetch: send, requests } = fakeFetch(json({}), json({}));
    const fetch = (url: string, init: RequestInit) => send(new URL(url, location.href).href, init);
    const auth = tc3({ secretId: 'id', secretKey: 'key' });
    for (const url of ['/api', 'https://page.example/api']) {
      await serviceOf({ baseUrl: url, fetch, auth }).get();
    }
    vi.useRealTimers();
    vi.unstubAllGlobals();
    const [relative, absolute] = requests.map(({ headers }) => headers.get('Authorization'));
    expect(relative).toMatch(/^TC3-HMAC-SHA256 Credential=id/);
    expect(relative).toBe(absolute);
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

  it('is refreshed once however many calls wait, and each call is executed once', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = serviceOf({ baseUrl: server.baseUrl, auth, retry: false });
    const all = Array.from({ length: 20 }, () => service.post('a', {}));
    expect(await Promise.all(all)).toEqual(Array(20).fill({ a: 1 }));
    expect(count()).toBe(2);
    const renewed = server.calls.filter(({ headers }) => headers.authorization === 'Bearer t2');
    expect(renewed).toHaveLength(20);
  });

  it('is refreshed once for each call at most, whatever the code', async () => {
    await using server = await faultServer(refuse('A_CODE_OF_ITS_OWN', 401));
    const error = await failureOf(serviceOf({ baseUrl: server.baseUrl, ...counting() }).get());
    expect(error).toMatchObject({ code: 'A_CODE_OF_ITS_OWN', status: 401 });
    expect(server.calls).toHaveLength(2);
  });

  it('is kept if the 401 is from the hosted service itself', async () => {
    await using server = await faultServer(serve({ code: 'ACCESS_TOKEN_EXPIRED' }, 401));
    const { auth, count } = counting();
    const service = serviceOf({ baseUrl: server.baseUrl, auth, retry: false });
    expect(await failureOf(service.get('a'))).toMatchObject({ source: 'service', status: 401 });
    expect((await service.request('a', { method: 'HEAD' })).status).toBe(401);
    expect([count(), server.calls.length]).toEqual([1, 2]);
  });

  it('is refreshed for the next call if the body is a stream, which is not sent again', async () => {
    await using server = await faultServer(byToken);
    const { auth, count } = counting();
    const service = serviceOf({ baseUrl: server.baseUrl, auth, retry: false });
    const post = () => service.post('a', new Blob(['stream']).stream());
    expect(await failureOf(post())).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
    expect([count(), server.calls.length]).toEqual([2, 1]);
    expect(await post()).toEqual({ a: 1 });
  });
});

describe('the server clock after a refused signature', () => {
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
    return { service: serviceOf({ auth, fetch }), signed };
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

  it('is used for storage credentials, too', async () => {
    const signed: number[] = [];
    const fetch = async () => {
      if (signed.at(-1)) return list({ fileID: 'a', code: 'SUCCESS' });
      const headers = { Date: new Date(Date.now() + 3_600_000).toUTCString() };
      return json({ code: 'SIGN_PARAM_INVALID', message: '' }, { status: 401, headers });
    };
    const sign = (now: number) => {
      signed.push(now - Date.now());
      return { authorization: 'a', timestamp: now };
    };
    await createStorageClient({ baseUrl, envId: 'dev', credentials: sign, fetch }).delete('a');
    expect(signed).toEqual([0, 3_600_000]);
  });
});

describe('storage credentials', () => {
  it('are sent as three headers, without the line break of a file', async () => {
    const { storage, requests } = storageWith([list({ fileID: 'a', code: 'SUCCESS' })], {
      credentials: { authorization: 'a\n', timestamp: 5 },
    });
    await storage.delete('a');
    const names = ['X-Svc-Authorization', 'X-Svc-SessionToken', 'X-Svc-TimeStamp'];
    expect(names.map((name) => requests[0]?.headers.get(name))).toEqual(['a', '', '5']);
    expect(requests[0]?.redirect).toBe('manual');
  });

  it.each([
    [{ ...credentials, authorization: '' }, 'authorization'],
    [{ authorization: 'a' }, 'timestamp'],
    [undefined, 'authorization'],
  ])('that are incomplete are not sent: %j', async (wrong, field) => {
    const { storage, requests } = storageWith([], { credentials: () => wrong as never });
    const missing = new TypeError(`credentials.${field} is missing.`);
    expect(await failureOf(storage.delete('a'))).toEqual(missing);
    expect(requests).toEqual([]);
  });
});
