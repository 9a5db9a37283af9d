import {
  bearer,
  createGatewayClient,
  type GatewayClientOptions,
  isBerthError,
} from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, refused } from './support/fake-fetch.ts';
import { type Act, faultServer, refuse, reset, serve, truncate } from './support/fault-server.ts';
import { storageAt } from './support/storage.ts';

const retry = { attempts: 2, baseDelay: 1 };
const ok = serve({ a: 1 });
const serviceAt = (baseUrl: string, options: Partial<GatewayClientOptions> = {}) =>
  createGatewayClient({ retry, ...options, baseUrl } as GatewayClientOptions).service('x');

describe('a gateway refusal is retried according to its row in D6', () => {
  it.each(
    defaults.gatewayErrors
      .filter(({ code }) => code !== 'ACCESS_TOKEN_EXPIRED')
      .map(({ code, status, retry: column }) => [code, column, status] as const),
  )('%s: %s', async (code, column, status) => {
    await using server = await faultServer(refuse(code, status));
    const service = serviceAt(server.baseUrl);
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
  type Client = ReturnType<typeof storageAt>;
  it.each<[keyof typeof defaults.operations, (storage: Client) => Promise<unknown>]>([
    ['getUploadMetaData', (storage) => storage.upload('a', 'x')],
    ['batchGetTempUrls', (storage) => storage.tempUrl('a')],
    ['batchDelete', (storage) => storage.delete('a')],
    ['batchCopyFile', (storage) => storage.copy('/a', '/b')],
  ])('%s', async (operation, call) => {
    const { idempotent } = defaults.operations[operation];
    const counts: Record<string, number> = {};
    for (const [name, status] of Object.entries({ busy: 503, limited: 429, refused: 400 })) {
      await using server = await faultServer(refuse('SYS_ERR', status));
      await failureOf(call(storageAt(server.baseUrl, { retry })));
      counts[name] = server.calls.length;
    }
    expect(counts).toEqual({ busy: idempotent ? 2 : 1, limited: 2, refused: 1 });
  });
});

describe('a call without a refusal of the gateway', () => {
  const breakRefusal: Act = (_, response) => {
    response.writeHead(503, { 'Content-Length': '100' });
    response.write('{"code":"SERVICE_NOT_READY",', () => response.destroy());
  };
  const otherRequestId: Act = (_, response) => {
    response.writeHead(503, { 'X-Request-Id': 'r-2', 'Content-Type': 'application/json' });
    response.end('{"code":"SERVICE_NOT_READY","message":"","requestId":"r-1"}');
  };

  it.each<[string, Act]>([
    ['the connection broke', reset],
    ['the response was interrupted', truncate],
    ['a refusal was interrupted', breakRefusal],
    ['the service itself says 503', serve({ code: 'SERVICE_NOT_READY' }, 503)],
    ['its request ID is that of another call', otherRequestId],
    ['something before the gateway failed', (_, r) => r.writeHead(502).end('<html>')],
  ])('may have been executed, so only an idempotent one is retried: %s', async (_, fault) => {
    await using server = await faultServer(fault, fault, ok);
    const service = serviceAt(server.baseUrl, { retry: { attempts: 3, baseDelay: 1 } });
    expect(isBerthError(await failureOf(service.post('a', {})))).toBe(true);
    expect(server.calls).toHaveLength(1);
    expect(await service.post('a', {}, { idempotent: true })).toEqual({ a: 1 });
    expect(server.calls).toHaveLength(3);
    await using another = await faultServer(fault, ok);
    expect(await serviceAt(another.baseUrl).get('a')).toEqual({ a: 1 });
  });

  it.each([404, 500])('is not retried after status %d of the service', async (status) => {
    await using server = await faultServer(serve({ code: 'SYS_ERR' }, status));
    const error = await failureOf(serviceAt(server.baseUrl).get('a'));
    expect(error).toMatchObject({ name: 'GatewayError', retryable: false });
    expect(server.calls).toHaveLength(1);
  });

  it('is not retried with a stream, whatever happened', async () => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503), ok);
    const body = new Blob(['hello']).stream();
    const sent = serviceAt(server.baseUrl).post('a', body, { idempotent: true });
    expect(await failureOf(sent)).toMatchObject({ code: 'SERVICE_NOT_READY' });
    expect(server.calls).toHaveLength(1);
  });
});

describe('the number of attempts', () => {
  const quick = { attempts: 2, baseDelay: 1 };
  it.each<[GatewayClientOptions['retry'], GatewayClientOptions['retry'], number]>([
    [{ baseDelay: 1 }, undefined, 3],
    [quick, { attempts: 4 }, 4],
    [quick, { attempts: undefined, maxDelay: 8 }, 2],
    [quick, false, 1],
    [false, quick, 2],
    [false, undefined, 1],
  ])('is that of the call, then that of the client: %j, %j', async (ofClient, ofCall, expected) => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503));
    await failureOf(serviceAt(server.baseUrl, { retry: ofClient }).get('a', { retry: ofCall }));
    expect(server.calls).toHaveLength(expected);
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
  async function waits(options: object, refusals: (() => Response)[] = []) {
    const calls: number[] = [];
    const fetch = async () => {
      calls.push(Date.now());
      const refuse = refusals[Math.min(calls.length, refusals.length) - 1] ?? notReady();
      return refuse();
    };
    const call = failureOf(serviceAt('http://g.example', { fetch, retry: {}, ...options }).get());
    await vi.runAllTimersAsync();
    const error = await call;
    return { seen: calls.slice(1).map((at, index) => at - (calls[index] ?? 0)), error };
  }
  const notReady =
    (headers: Record<string, string> = {}) =>
    () =>
      refused('SERVICE_NOT_READY', 503, headers);
  const dated = (ms: number) => new Date(START + ms).toUTCString();

  it('doubles up to a limit, and is half of it if the random number is 0.5', async () => {
    const { seen } = await waits({ retry: { attempts: 8 } });
    expect(seen).toEqual([125, 250, 500, 1000, 2000, 4000, 4000]);
  });

  it.each([
    [0, [0, 0, 0]],
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
    ['as a date that is over', { 'Retry-After': dated(-5000) }, 125],
    ['as no number', { 'Retry-After': '2x' }, 125],
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
    const { seen, error } = await waits(options, [notReady({ 'Retry-After': value })]);
    expect(seen).toEqual([]);
    expect(error).toMatchObject({ code: 'SERVICE_NOT_READY' });
  });

  it('does not count an attempt that renewed a token', async () => {
    let count = 0;
    const auth = bearer(async () => `t${++count}`);
    const expired = () => refused('ACCESS_TOKEN_EXPIRED', 401);
    expect((await waits({ auth }, [expired, notReady()])).seen).toEqual([0, 125, 250]);
  });
});
