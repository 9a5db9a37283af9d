import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
} from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, refused } from './support/fake-fetch.ts';
import { faultServer, refuse } from './support/fault-server.ts';
import { storageAt } from './support/storage.ts';

const retry = { attempts: 2, baseDelay: 1 };

describe('a gateway refusal is retried according to its row in D6', () => {
  it.each(
    defaults.gatewayErrors
      .filter(({ code }) => code !== 'ACCESS_TOKEN_EXPIRED')
      .map(({ code, status, retry: column }) => [code, column, status] as const),
  )('%s: %s', async (code, column, status) => {
    await using server = await faultServer(refuse(code, status));
    const service = createGatewayClient({ baseUrl: server.baseUrl, retry }).service('x');
    const count = async (call: Promise<unknown>) => {
      const before = server.calls.length;
      expect(await failureOf(call)).toMatchObject({ code, retryable: column !== 'never' });
      return server.calls.length - before;
    };
    expect({
      get: await count(service.get('a')),
      post: await count(service.post('a', {})),
      idempotentPost: await count(service.post('a', {}, { idempotent: true })),
    }).toEqual({
      get: column === 'never' ? 1 : 2,
      post: column === 'any' ? 2 : 1,
      idempotentPost: column === 'never' ? 1 : 2,
    });
  });
});

describe('a storage call is retried if its operation allows it (D26)', () => {
  const path = { srcPath: '/a', dstPath: '/b' };

  it.each([
    ['getUploadMetaData', (baseUrl: string) => storageAt(baseUrl, { retry }).upload('a', 'x')],
    ['batchGetTempUrls', (baseUrl: string) => storageAt(baseUrl, { retry }).tempUrl('a')],
    ['batchDelete', (baseUrl: string) => storageAt(baseUrl, { retry }).delete('a')],
    [
      'batchCopyFile',
      (baseUrl: string) => storageAt(baseUrl, { retry }).copy(path.srcPath, path.dstPath),
    ],
  ] as const)('%s', async (operation, call) => {
    const { idempotent } = defaults.operations[operation];
    const counts: Record<string, number> = {};
    for (const [name, status] of Object.entries({ busy: 503, limited: 429, refused: 400 })) {
      await using server = await faultServer(refuse('SYS_ERR', status));
      await failureOf(call(server.baseUrl) as Promise<unknown>);
      expect(server.calls[0]?.url).toMatch(new RegExp(`:${operation}$`));
      counts[name] = server.calls.length;
    }
    expect(counts).toEqual({ busy: idempotent ? 2 : 1, limited: 2, refused: 1 });
  });
});

describe('a wait between attempts', () => {
  const START = Date.UTC(2026, 0, 1);
  beforeEach(() => {
    vi.useFakeTimers({ now: START });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Rejects the first calls, and returns the milliseconds between all of them. */
  async function waits(
    options: Partial<GatewayClientOptions>,
    refusals: ((count: number) => Response)[] = [],
  ) {
    const calls: number[] = [];
    const fetch = async () => {
      calls.push(Date.now());
      const refuse = refusals[Math.min(calls.length, refusals.length) - 1] ?? notReady();
      return refuse(calls.length);
    };
    const gateway = createGatewayClient({ ...options, baseUrl: 'http://g.example', fetch });
    const call = gateway
      .service('x')
      .get('a')
      .catch((error: Error) => error);
    await vi.runAllTimersAsync();
    const result = await call;
    const seen = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    return { seen, result };
  }
  const notReady =
    (headers: Record<string, string> = {}) =>
    () =>
      refused('SERVICE_NOT_READY', 503, headers);
  const dated = (ms: number) => new Date(START + ms).toUTCString();

  it('doubles up to a limit, and is half of it if the random number is 0.5', async () => {
    const retry = { attempts: 8 };
    const { seen } = await waits({ retry });
    expect(seen).toEqual([125, 250, 500, 1000, 2000, 4000, 4000]);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.25, [25, 50, 75]],
    [0.75, [75, 150, 225]],
  ])('is a random part, %d, of the span', async (chance, expected) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    const retry = { attempts: 4, baseDelay: 100, maxDelay: 300 };
    expect((await waits({ retry })).seen).toEqual(expected);
  });

  it.each<[string, Record<string, string>, number]>([
    ['as seconds', { 'Retry-After': '2' }, 2000],
    ['that is shorter than chance', { 'Retry-After': '0' }, 125],
    ['at its longest', { 'Retry-After': '30' }, 30_000],
    ['as a date, by the own clock', { 'Retry-After': dated(3000) }, 3000],
    [
      'as a date, by the clock of the server',
      { 'Retry-After': dated(3_603_000), Date: dated(3_600_000) },
      3000,
    ],
    [
      'as a date, by the clock of a server that is behind',
      { 'Retry-After': dated(-3_596_000), Date: dated(-3_600_000) },
      4000,
    ],
    ['as a date that is over', { 'Retry-After': dated(-5000) }, 125],
    ['as no date', { 'Retry-After': 'soon' }, 125],
    ['as no number', { 'Retry-After': '2x' }, 125],
    ['as no number either', { 'Retry-After': 'x2' }, 125],
    ['as a date, by a clock that is none', { 'Retry-After': dated(1000), Date: 'now' }, 1000],
  ])('obeys Retry-After %s', async (_, headers, expected) => {
    const { seen } = await waits({ retry: { attempts: 2 } }, [notReady(headers)]);
    expect(seen).toEqual([expected]);
  });

  it.each<[string, string, object]>([
    ['seconds', '31', {}],
    ['a date', dated(31_000), {}],
    ['more than maxRetryAfter', '2', { retry: { maxRetryAfter: 1999 } }],
    ['all that is left', '2', { timeouts: { total: 2000 } }],
  ])('is not made if Retry-After is too long: %s', async (_, value, options) => {
    const { seen, result } = await waits(options, [notReady({ 'Retry-After': value })]);
    expect(seen).toEqual([]);
    expect(result).toMatchObject({ code: 'SERVICE_NOT_READY' });
  });

  it('does not happen if an expired token cannot be renewed', async () => {
    const { seen, result } = await waits({ auth: { authorize: () => 'Bearer t' } }, [
      () => refused('ACCESS_TOKEN_EXPIRED', 401),
    ]);
    expect(seen).toEqual([]);
    expect(result).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
  });

  it('is made if the remaining time is just enough', async () => {
    const refusals = [notReady({ 'Retry-After': '2' }), () => Response.json({ a: 1 })];
    const { seen, result } = await waits({ timeouts: { total: 2001 } }, refusals);
    expect([seen, result]).toEqual([[2000], { a: 1 }]);
  });

  it('does not count an attempt that renewed a token', async () => {
    let count = 0;
    const auth = bearer(async () => `t${++count}`);
    const { seen } = await waits({ auth }, [
      () => refused('ACCESS_TOKEN_EXPIRED', 401),
      notReady(),
    ]);
    expect(seen).toEqual([0, 125, 250]);
    expect(count).toBe(2);
  });
});

describe('the server clock after a refused signature', () => {
  const NOW = Date.UTC(2026, 0, 1);
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server with a wrong clock, which rejects signatures made with any other clock. */
  function clockServer(skew: () => number | undefined, accepts = true) {
    const signed: number[] = [];
    const fetch = async () => {
      const off = skew();
      const isRight = Math.abs((signed.at(-1) ?? 0) - (off ?? Number.NaN)) <= 30_000;
      if (isRight && accepts) return Response.json({ a: 1 });
      const date = off !== undefined && { Date: new Date(Date.now() + off).toUTCString() };
      return refused('INVALID_CREDENTIALS', 401, { ...date });
    };
    const auth = { authorize: ({ now }: { now: number }) => `T ${signed.push(now - Date.now())}` };
    const client = () =>
      createGatewayClient({ baseUrl: 'http://g.example', auth, fetch }).service('x');
    return { client, signed };
  }

  it.each([3_600_000, -3_600_000, 31_000])(
    'is corrected for all calls if it is %d ms off',
    async (off) => {
      const { client, signed } = clockServer(() => off);
      const service = client();
      await service.post('a');
      await service.post('a');
      expect(signed).toEqual([0, off, off]);
      // Another client may call another server.
      await client().post('a');
      expect(signed.slice(3)).toEqual([0, off]);
    },
  );

  it('is corrected again if it changes', async () => {
    let off = 3_600_000;
    const { client, signed } = clockServer(() => off);
    const service = client();
    await service.get('a');
    off = 7_200_000;
    await service.get('a');
    expect(signed).toEqual([0, 3_600_000, 3_600_000, 7_200_000]);
  });

  it('is corrected once for calls that were refused together', async () => {
    const { client, signed } = clockServer(() => 3_600_000);
    const service = client();
    await Promise.all([service.post('a'), service.post('b'), service.post('c')]);
    expect(signed).toEqual([0, 0, 0, 3_600_000, 3_600_000, 3_600_000]);
  });

  it('is used for storage credentials, too', async () => {
    const signed: number[] = [];
    const fetch = async () => {
      if (signed.at(-1)) {
        const fileList = [{ fileID: 'a', code: 'SUCCESS' }];
        return Response.json({ statusCode: 200, body: { data: { fileList } } });
      }
      const headers = { Date: new Date(Date.now() + 3_600_000).toUTCString() };
      return Response.json({ code: 'SIGN_PARAM_INVALID', message: '' }, { status: 401, headers });
    };
    const credentials = (now: number) => {
      signed.push(now - Date.now());
      return { authorization: 'a', timestamp: now };
    };
    const baseUrl = 'http://s.example';
    await createStorageClient({ baseUrl, envId: 'dev', credentials, fetch }).delete('a');
    expect(signed).toEqual([0, 3_600_000]);
  });

  it.each([
    ['within the tolerance', 30_000],
    ['not shown', undefined],
  ])('changes nothing if it is %s', async (_, off) => {
    const { client, signed } = clockServer(() => off, false);
    expect(await failureOf(client().get('a'))).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(signed).toEqual([0]);
  });
});
