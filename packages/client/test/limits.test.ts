import { isBerthError } from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf, gatewayAt, serviceAt } from './support/clients.ts';
import { type Act, faultServer, hang, refuse, stall } from './support/servers.ts';

const BASE = 'http://g.example';
const neverResponds = () => new Promise<Response>(() => {});

afterEach(() => void vi.useRealTimers());

describe('a time limit', () => {
  it.each<[string, Act]>([
    ['no response comes', hang],
    ['a body does not end', stall],
    ['the body of an error does not end', (_, r) => r.writeHead(503).write('{')],
    ['response headers do not end', (request) => request.socket.write('HTTP/1.1 200 OK\r\nX: ')],
  ])('ends a call if %s', async (_, fault) => {
    await using server = await faultServer(fault);
    const gateway = gatewayAt(server.baseUrl, { timeout: 100 });
    const service = gateway.service('x');
    const params = { path: { name: 'x', anyPath: 'a?s=5ec4e7' } };
    const raw = () => gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
    for (const call of [() => service.get('a?s=5ec4e7'), () => service.post('a'), raw]) {
      const error = await failureOf(call());
      expect(isBerthError(error, 'timeout') && error.retryable).toBe(true);
      const message = /^BerthError: No response within 100 ms \(\w+ \/v1\/cloudrun\/x\/a\)$/;
      expect(String(error)).toMatch(message);
    }
  });

  it('CL-SIZE-HEADERS: is not needed for headers that never end', async () => {
    await using server = await faultServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const flood = setInterval(() => socket.write(`X-A: ${'a'.repeat(4_000)}\r\n`), 1);
      socket.on('close', () => clearInterval(flood)).on('error', () => {});
    });
    const call = serviceAt(server.baseUrl, { retry: false, timeout: 0 }).get('a');
    expect(await failureOf(call)).toMatchObject({ kind: 'network' });
  });

  it.each([
    [60, undefined, '60'],
    [90, 30, '30'],
    [undefined, undefined, '120000'],
    [undefined, 2 ** 40, String(2 ** 40)],
  ])('of the client %s and of the call %s is %s ms', async (timeout, ofCall, expected) => {
    vi.useFakeTimers();
    const service = serviceAt(BASE, { fetch: neverResponds, timeout });
    for (const method of ['get', 'request'] as const) {
      const call = failureOf(service[method]('a', { timeout: ofCall }));
      await vi.runAllTimersAsync();
      expect(String(await call)).toContain(`No response within ${expected} ms`);
    }
  });

  it('does not end an event stream or the body of a raw response', async () => {
    // Loads the code, so that only timers are waited for.
    await serviceAt(BASE).events('a', { signal: AbortSignal.abort() }).next();
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
    const service = serviceAt(BASE, { fetch });
    const next = service.events('a').next();
    const text = service.request('a').then((response) => response.text());
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await next).value).toMatchObject({ data: 'late' });
    expect(await text).toBe('data: late\n\n');
  });
});

it('an error without an end does not fill the memory', async () => {
  let sent = 0;
  await using server = await faultServer((_, response) => {
    response.writeHead(500);
    const chunk = Buffer.alloc(65_536, 'a');
    const write = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', write);
    write();
  });
  const response = await serviceAt(server.baseUrl, { retry: false }).request('a');
  expect(response.status).toBe(500);
  await response.body?.cancel();
  expect(sent).toBeLessThan(16_777_216);
});

describe('an abort', () => {
  const reason = new Error('enough');

  it.each<[string, Act]>([
    ['before the response', hang],
    ['within the body', stall],
    ['during a wait', refuse('SERVICE_NOT_READY', 503, { 'Retry-After': '20' })],
  ])('%s ends the call with the reason', async (_, fault) => {
    const stop = new AbortController();
    await using server = await faultServer((request, response) => {
      fault(request, response);
      setImmediate(() => stop.abort(reason));
    });
    const service = serviceAt(server.baseUrl);
    expect(await failureOf(service.get('a', { signal: stop.signal }))).toBe(reason);
    expect(await failureOf(service.get('a', { signal: stop.signal }))).toBe(reason);
    expect(server.calls).toHaveLength(1);
  });

  it('ends the body of a raw response, and a call of another library', async () => {
    await using server = await faultServer(stall, hang);
    const stop = new AbortController();
    const { signal } = stop;
    const gateway = gatewayAt(server.baseUrl);
    const response = await gateway.service('x').request('a', { signal });
    const request = new Request(gateway.service('x').url, { signal });
    const failures = [response.text(), gateway.fetch(request)].map(failureOf);
    stop.abort(reason);
    expect(await Promise.all(failures)).toEqual([reason, reason]);
  });
});
