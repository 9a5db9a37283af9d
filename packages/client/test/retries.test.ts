import { bearer, isBerthError, type RetryOptions } from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, refused, serviceAt } from './support/clients.ts';
import { type Act, faultServer, refuse, reset, serve, truncate } from './support/servers.ts';

const ok = serve({ a: 1 });
const PAGE: Act = (_, response) => response.writeHead(502).end('<html>');

describe('CL-RETRY-REFUSED: an error of the gateway is retried according to the contract', () => {
  it.each(
    defaults.gatewayErrors
      .filter(({ code }) => code !== 'ACCESS_TOKEN_EXPIRED')
      .map(({ code, status, retry }) => [code, retry, status] as const),
  )('%s: %s', async (code, column, ofContract) => {
    // The code decides, even if a deployment sends it with the status of a temporary failure.
    const status = column === 'never' && ofContract !== 401 ? 503 : ofContract;
    await using server = await faultServer(refuse(code, status));
    const service = serviceAt(server.baseUrl, { retry: { attempts: 2, delay: 1 } });
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

describe('a call that may have been executed', () => {
  const breakRefusal: Act = (_, response) =>
    response.writeHead(503, { 'Content-Length': '100' }).write('{', () => response.destroy());
  const foreignRequestId = refuse('SERVICE_NOT_READY', 503, { 'X-Request-Id': 'r-2' });

  it.each<[string, Act, string]>([
    ['CL-ERROR-CUT: the connection broke', reset, 'network'],
    ['CL-ERROR-CUT: the response was cut off', truncate, 'network'],
    ['an error of the gateway was interrupted', breakRefusal, 'network'],
    ['the service itself says 503', serve({ code: 'SERVICE_NOT_READY' }, 503), 'service'],
    ['its request ID is that of another call', foreignRequestId, 'service'],
    ['a proxy says 502', PAGE, 'service'],
    ['a proxy says 504', (_, response) => response.writeHead(504).end(), 'service'],
    ['the service is overloaded', serve({}, 429), 'service'],
  ])('CL-RETRY-POST: is retried only if it is idempotent: %s', async (_, fault, kind) => {
    await using server = await faultServer(fault, fault, ok, fault, ok);
    const service = serviceAt(server.baseUrl);
    const error = { kind, method: 'POST', retryable: true };
    expect(await failureOf(service.post('a', {}))).toMatchObject(error);
    expect(server.calls).toHaveLength(1);
    expect(await service.post('a', {}, { idempotent: true })).toEqual({ a: 1 });
    expect(await service.get('a')).toEqual({ a: 1 });
    expect(server.calls).toHaveLength(5);
  });

  it.each([400, 404, 500, 501])('is not retried after status %d of the service', async (status) => {
    await using server = await faultServer(serve({ code: 'SYS_ERR' }, status));
    const error = await failureOf(serviceAt(server.baseUrl).get('a'));
    expect(error).toMatchObject({ kind: 'service', retryable: false });
    expect(server.calls).toHaveLength(1);
  });

  it('is never retried with a stream, whatever happened', async () => {
    for (const fault of [refuse('SERVICE_NOT_READY', 503), reset, PAGE]) {
      await using server = await faultServer(fault, ok);
      const body = new Blob(['hello']).stream();
      const sent = serviceAt(server.baseUrl).post('a', body, { idempotent: true });
      expect(isBerthError(await failureOf(sent))).toBe(true);
      expect(server.calls).toHaveLength(1);
    }
  });
});

describe('CL-RETRY-LIMIT: the number of attempts', () => {
  it('counts those whose response is interrupted', async () => {
    const busy = refuse('SERVICE_NOT_READY', 503);
    await using server = await faultServer(busy, truncate, truncate, ok);
    const error = await failureOf(serviceAt(server.baseUrl).get('a'));
    expect(error).toMatchObject({ kind: 'network' });
    expect(server.calls).toHaveLength(3);
  });

  const twice = { attempts: 2, delay: 1 };
  it.each<[RetryOptions | false | undefined, RetryOptions | false | undefined, number]>([
    [{ delay: 1 }, undefined, 3],
    [twice, { attempts: 4 }, 4],
    [twice, false, 1],
    [false, twice, 2],
  ])('is that of the call, then that of the client: %j, %j', async (ofClient, ofCall, expected) => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503));
    await failureOf(serviceAt(server.baseUrl, { retry: ofClient }).get('a', { retry: ofCall }));
    expect(server.calls).toHaveLength(expected);
  });
});

describe('CL-RETRY-AFTER: a wait between attempts', () => {
  const START = Date.UTC(2026, 0, 1);
  beforeEach(() => {
    vi.useFakeTimers({ now: START });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Rejects calls, and returns the milliseconds between them. */
  async function waits(options: object, refusals: Response[] = []) {
    const calls: number[] = [];
    const fetch = async () => {
      calls.push(Date.now());
      return refusals.shift() ?? notReady();
    };
    const call = failureOf(serviceAt('http://g.example', { fetch, retry: {}, ...options }).get());
    await vi.runAllTimersAsync();
    const error = await call;
    return { actual: calls.slice(1).map((at, index) => at - (calls[index] ?? 0)), error };
  }
  const notReady = (headers = {}) => refused('SERVICE_NOT_READY', 503, headers);
  const dated = (ms: number) => new Date(START + ms).toUTCString();

  it.each([
    [0, { attempts: 4, delay: 100 }, [0, 0, 0]],
    [0.75, { attempts: 4, delay: 100 }, [75, 150, 300]],
    [0.5, { attempts: 8 }, [125, 250, 500, 1000, 2000, 4000, 4000]],
  ])('doubles up to a limit, and is a random part of it: %d', async (chance, retry, expected) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    expect((await waits({ retry })).actual).toEqual(expected);
  });

  it.each<[string, string, number[], object?]>([
    ['in seconds', '2', [2000]],
    ['that is shorter than the random wait', '0', [125]],
    ['at its longest', '30', [30_000]],
    ['as a date, by its Date', dated(3_603_000), [3000], { Date: dated(3_600_000) }],
    ['as a date in the past', dated(-5000), [125]],
    ['as a date, with an invalid Date header', dated(1000), [1000], { Date: 'now' }],
    ['that is too long', '31', []],
    ['that is too long a date', dated(31_000), []],
  ])('respects Retry-After %s', async (_, value, expected, headers) => {
    const refusal = notReady({ 'Retry-After': value, ...headers });
    expect((await waits({ retry: { attempts: 2 } }, [refusal])).actual).toEqual(expected);
  });

  it('does not happen if Retry-After is all the time that is left', async () => {
    const { actual, error } = await waits({ timeout: 2000 }, [notReady({ 'Retry-After': '2' })]);
    expect(actual).toEqual([]);
    expect(error).toMatchObject({ code: 'SERVICE_NOT_READY' });
  });

  it('is not counted for an attempt that renewed a token', async () => {
    let count = 0;
    const auth = bearer(async () => `t${++count}`);
    const expired = refused('ACCESS_TOKEN_EXPIRED', 401);
    expect((await waits({ auth }, [expired])).actual).toEqual([0, 125, 250]);
  });
});
