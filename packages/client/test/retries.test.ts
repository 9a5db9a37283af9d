import type { RetryOptions } from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countedTokens, failureOf, serviceAt, storageAt } from './support/clients.ts';
import { refused } from './support/responses.ts';
import { breakOff, type Handler, refuse, reset, serve, startServer } from './support/servers.ts';

const ok = serve({ a: 1 });
const busy = refuse('SERVICE_NOT_READY', 503);
const streamOf = (text: string) => new Blob([text]).stream();
const page: Handler = (_, response) => response.writeHead(502).end('<html>');

it.each(defaults.gatewayErrors.filter(({ code }) => code !== 'ACCESS_TOKEN_EXPIRED'))(
  'CL-RETRY-REFUSED: $code is retried as in the contract: $retry',
  async ({ code, retry, status }) => {
    const isFinal = retry === 'never';
    // The code decides, even if a deployment sends it with the status of a temporary failure.
    await using server = await startServer(refuse(code, isFinal && status !== 401 ? 503 : status));
    const service = serviceAt(server.url, { retry: { attempts: 2, delay: 1 } });
    const count = async (call: Promise<unknown>) => {
      const before = server.calls.length;
      await expect(call).rejects.toMatchObject({ code, retryable: !isFinal });
      return server.calls.length - before;
    };
    expect(await count(service.get('a'))).toBe(isFinal ? 1 : 2);
    expect(await count(service.post('a', {}))).toBe(retry === 'any' ? 2 : 1);
    expect(await count(service.post('a', {}, { idempotent: true }))).toBe(isFinal ? 1 : 2);
    expect(await count(service.post('a', streamOf('hello'), { idempotent: true }))).toBe(1);
  },
);

describe('a call that may have been executed', () => {
  const foreignRequestId = refuse('SERVICE_NOT_READY', 503, { 'X-Request-Id': 'r-2' });

  it.each<[string, Handler, string]>([
    ['CL-ERROR-CUT: the connection broke', reset, 'network'],
    ['CL-ERROR-CUT: the response was cut off', breakOff(200), 'network'],
    ['the body of an error was cut off', breakOff(503), 'service'],
    ['the service itself says 503', serve({ code: 'SERVICE_NOT_READY' }, 503), 'service'],
    ['its request ID is that of another call', foreignRequestId, 'service'],
    ['CL-ERROR-HTML: a proxy says 502', page, 'service'],
    ['a proxy says 504', (_, response) => response.writeHead(504).end(), 'service'],
    ['the service is overloaded', serve({}, 429), 'service'],
  ])('CL-RETRY-POST: is retried only if it is idempotent: %s', async (_, fault, kind) => {
    await using server = await startServer(fault, fault, fault, ok, fault, ok);
    const service = serviceAt(server.url);
    const error = { kind, method: 'POST', retryable: true };
    await expect(service.post('a', {})).rejects.toMatchObject(error);
    const stream = service.post('a', streamOf('hello'), { idempotent: true });
    await expect(stream).rejects.toMatchObject(error);
    expect(server.calls).toHaveLength(2);
    expect(await service.post('a', {}, { idempotent: true })).toEqual({ a: 1 });
    expect(await service.get('a')).toEqual({ a: 1 });
    expect(server.calls).toHaveLength(6);
  });

  it.each<[number, Handler]>([
    [400, serve({ code: 'SYS_ERR' }, 400)],
    [404, serve({ code: 'SYS_ERR' }, 404)],
    [404, breakOff(404)],
    [500, serve({ code: 'SYS_ERR' }, 500)],
    [501, serve({ code: 'SYS_ERR' }, 501)],
  ])('is not retried after status %d of the service', async (status, fault) => {
    await using server = await startServer(fault);
    const error = { kind: 'service', status, retryable: false };
    await expect(serviceAt(server.url).get('a')).rejects.toMatchObject(error);
    expect(server.calls).toHaveLength(1);
  });
});

describe('CL-RETRY-LIMIT: the number of attempts', () => {
  it('counts responses that are interrupted, even after a 429 of the storage API', async () => {
    await using server = await startServer(busy, breakOff(200), breakOff(200), breakOff(429));
    await expect(serviceAt(server.url).get('a')).rejects.toMatchObject({ kind: 'network' });
    expect(server.calls).toHaveLength(3);
    const storage = storageAt(server.url, { retry: { attempts: 2, delay: 1 } });
    const error = { kind: 'storage', status: 429, retryable: true };
    await expect(storage.tempUrl('a')).rejects.toMatchObject(error);
    expect(server.calls).toHaveLength(5);
  });

  const twice = { attempts: 2, delay: 1 };
  it.each<[RetryOptions | false, RetryOptions | false | undefined, number]>([
    [{ delay: 1 }, undefined, 3],
    [twice, { attempts: 4 }, 4],
    [twice, false, 1],
    [false, twice, 2],
  ])('is that of the call, then that of the client: %j, %j', async (ofClient, ofCall, expected) => {
    await using server = await startServer(busy);
    await failureOf(serviceAt(server.url, { retry: ofClient }).get('a', { retry: ofCall }));
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
  async function waits(options: object, ...refusals: Response[]) {
    const calls: number[] = [];
    const fetch = async () => {
      calls.push(Date.now());
      return refusals.shift() ?? notReady();
    };
    const call = failureOf(serviceAt('http://g.example', { fetch, retry: {}, ...options }).get());
    await vi.runAllTimersAsync();
    await call;
    return calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
  }
  const notReady = (headers = {}) => refused('SERVICE_NOT_READY', 503, headers);
  const dated = (ms: number) => new Date(START + ms).toUTCString();

  it.each([
    [0, { attempts: 4, delay: 100 }, [0, 0, 0]],
    [0.75, { attempts: 4, delay: 100 }, [75, 150, 300]],
    [0.5, { attempts: 8 }, [125, 250, 500, 1000, 2000, 4000, 4000]],
  ])('doubles up to a limit, and is a random part of it: %d', async (chance, retry, expected) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    expect(await waits({ retry })).toEqual(expected);
  });

  const all = { timeout: 2000 };
  it.each<[string, string, number[], object?, object?]>([
    ['in seconds', '2', [2000]],
    ['that is shorter than the random wait', '0', [125]],
    ['at its longest', '30', [30_000]],
    ['as a date, by its Date', dated(3_603_000), [3000], { Date: dated(3_600_000) }],
    ['as a date in the past', dated(-5000), [125]],
    ['as a date, with an invalid Date header', dated(1000), [1000], { Date: 'now' }],
    ['that is too long', '31', []],
    ['that is too long a date', dated(31_000), []],
    ['that is all the time that is left', '2', [], {}, all],
  ])('respects Retry-After %s', async (_, value, expected, headers, options) => {
    const refusal = notReady({ 'Retry-After': value, ...headers });
    expect(await waits({ retry: { attempts: 2 }, ...options }, refusal)).toEqual(expected);
  });

  it('is not counted for an attempt that renewed a token', async () => {
    const { auth } = countedTokens();
    expect(await waits({ auth }, refused('ACCESS_TOKEN_EXPIRED', 401))).toEqual([0, 125, 250]);
  });
});
