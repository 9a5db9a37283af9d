import { createGatewayClient, type GatewayClientOptions } from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { type Act, faultServer, hang, refuse, stall } from './support/fault-server.ts';
import { storageAt } from './support/storage.ts';

const serviceAt = (baseUrl: string, options: object = {}) =>
  createGatewayClient({ ...options, baseUrl } as GatewayClientOptions).service('x');
const neverResponds = { fetch: () => new Promise<Response>(() => {}) };

afterEach(() => void vi.useRealTimers());

describe('a time limit', () => {
  it.each<[string, Act]>([
    ['no response comes', hang],
    ['a body does not end', stall],
    ['the body of an error does not end', (_, r) => r.writeHead(503).write('{')],
  ])('ends a call if %s', async (_, fault) => {
    await using server = await faultServer(fault);
    const service = serviceAt(server.baseUrl, { timeouts: { total: 100 } });
    for (const call of [service.get('a?s=5ec4e7'), service.post('a?s=5ec4e7')]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ name: 'TimeoutError', timeout: 100 });
      expect(String(error)).toMatch(
        /^TimeoutError: No response within 100 ms \(\w+ \/v1\/cloudrun\/x\/a\)$/,
      );
    }
  });

  it('ends a call whose fetch ignores the signal', async () => {
    const service = serviceAt('http://g.example', { ...neverResponds, timeouts: { perTry: 20 } });
    expect(await failureOf(service.post())).toMatchObject({ name: 'TimeoutError', timeout: 20 });
  });

  it("that is undefined falls back to the client's, and then to the default", async () => {
    vi.useFakeTimers();
    const timeoutOf = async (client: object, call: object) => {
      const options = { ...neverResponds, retry: false, timeouts: client };
      const failures = [
        failureOf(serviceAt('http://g.example', options).get('a', { timeouts: call })),
        failureOf(
          storageAt('http://s.example', options as object).tempUrl('a', { timeouts: call }),
        ),
      ];
      await vi.runAllTimersAsync();
      const [first, second] = (await Promise.all(failures)) as { timeout?: number }[];
      expect(first?.timeout).toBe(second?.timeout);
      return first?.timeout;
    };
    const unset = { perTry: undefined, total: undefined };
    expect(await timeoutOf({ perTry: 60 }, unset)).toBe(60);
    expect(await timeoutOf({ total: 90 }, { perTry: 0 })).toBe(90);
    expect(await timeoutOf(unset, unset)).toBe(65_000);
  });

  it('lets a GET be sent again, and a POST fail', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(async () => Response.json({ a: 1 }));
    fetch.mockImplementationOnce(neverResponds.fetch);
    const get = serviceAt('http://g.example', { fetch }).get('a');
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await get).toEqual({ a: 1 });
    fetch.mockImplementationOnce(neverResponds.fetch);
    const post = failureOf(serviceAt('http://g.example', { fetch }).post('a'));
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await post).toMatchObject({ name: 'TimeoutError' });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it('does not end an event stream or the body of a returned response', async () => {
    vi.useFakeTimers();
    const fetch = async () => {
      const body = new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 200_000));
          controller.enqueue(new TextEncoder().encode('data: late\n\n'));
          controller.close();
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    const service = serviceAt('http://g.example', { fetch });
    const next = service.events('a').next();
    const text = service.request('a').then((response) => response.text());
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await next).value).toMatchObject({ data: 'late' });
    expect(await text).toBe('data: late\n\n');
  });
});

describe('an abort', () => {
  it.each<[string, Act]>([
    ['before the response', hang],
    ['within the body', stall],
    ['during a wait', refuse('SERVICE_NOT_READY', 503, { 'Retry-After': '20' })],
  ])('%s ends the call with the reason', async (_, fault) => {
    const stop = new AbortController();
    const reason = new Error('enough');
    await using server = await faultServer((request, response) => {
      fault(request, response);
      setImmediate(() => stop.abort(reason));
    });
    const service = serviceAt(server.baseUrl);
    expect(await failureOf(service.get('a', { signal: stop.signal }))).toBe(reason);
    expect(await failureOf(service.get('a', { signal: stop.signal }))).toBe(reason);
    expect(server.calls).toHaveLength(1);
  });

  it('while the credentials are requested sends nothing', async () => {
    const fetch = vi.fn(async () => Response.json({}));
    const stop = new AbortController();
    const reason = new Error('enough');
    const auth = {
      authorize: async () => {
        stop.abort(reason);
        return 'Bearer t';
      },
    };
    const service = serviceAt('http://g.example', { auth, fetch });
    expect(await failureOf(service.post('a', {}, { signal: stop.signal }))).toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetch).not.toHaveBeenCalled();
  });

  it('ends the body of a returned response', async () => {
    await using server = await faultServer(stall);
    const stop = new AbortController();
    const response = await serviceAt(server.baseUrl).request('a', { signal: stop.signal });
    const reading = failureOf(response.text());
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await reading).toBe(reason);
  });
});
