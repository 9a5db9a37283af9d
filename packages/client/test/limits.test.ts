import type { BerthError, FetchLike, GatewayPaths } from '@berth/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf, gatewayAt, serviceAt, storageAt, storageWith } from './support/clients.ts';
import { linked } from './support/responses.ts';
import { type Handler, hang, keepSending, refuse, stall, startServer } from './support/servers.ts';

const BASE = 'http://g.example';

afterEach(() => void vi.useRealTimers());

describe('a time limit', () => {
  it.each<[string, Handler]>([
    ['no response comes', hang],
    ['a body does not end', stall],
    ['the body of an error does not end', (_, r) => r.writeHead(503).write('{')],
    ['response headers do not end', (request) => request.socket.write('HTTP/1.1 200 OK\r\nX: ')],
  ])('ends a call if %s', async (_, fault) => {
    await using server = await startServer(fault);
    const gateway = gatewayAt(server.url, { timeout: 100 });
    const service = gateway.service('x');
    const params = { path: { name: 'x', anyPath: 'a?s=5ec4e7' } };
    const raw = gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
    const calls = [service.get('a?s=5ec4e7'), service.post('a'), raw];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ kind: 'timeout', retryable: true });
      const message = /^BerthError: The call timed out after 100 ms \(\w+ \/v1\/cloudrun\/x\/a\)$/;
      expect(String(error)).toMatch(message);
    }
  });

  it.each([
    [60, undefined, '60'],
    [90, 30, '30'],
    [undefined, undefined, '120000'],
    [undefined, 2 ** 40, String(2 ** 40)],
  ])('of the client %s and of the call %s is %s ms', async (timeout, ofCall, expected) => {
    vi.useFakeTimers();
    const fetch = () => new Promise<Response>(() => {});
    const service = serviceAt(BASE, { fetch, timeout });
    for (const method of ['get', 'request'] as const) {
      const call = failureOf(service[method]('a', { timeout: ofCall }));
      await vi.runAllTimersAsync();
      expect(String(await call)).toContain(`timed out after ${expected} ms`);
    }
  });

  it('of the client does not end an upload or download, but that of the call does', async () => {
    const fetch: FetchLike = async (url) =>
      url.includes('/api/') ? linked() : new Promise<Response>(() => {});
    const { storage } = storageWith([], { fetch, timeout: 1_000, idle: 1_500, retry: false });
    await expect(storage.download('a')).rejects.toThrow('no progress for 1500 ms');
    await expect(storage.download('a', { timeout: 5 })).rejects.toThrow('timed out after 5 ms');
  });

  it('does not end an event stream or the body of a raw response', async () => {
    // Loads the code, so that only timers are waited for.
    await serviceAt(BASE).events('a', { signal: AbortSignal.abort() }).next();
    vi.useFakeTimers();
    async function* respondLate() {
      await new Promise((resolve) => setTimeout(resolve, 200_000));
      yield new TextEncoder().encode('data: late\n\n');
    }
    const headers = { 'Content-Type': 'text/event-stream' };
    const fetch = async () => new Response(respondLate() as never, { headers });
    const service = serviceAt(BASE, { fetch });
    const next = service.events('a').next();
    const text = service.request('a').then((response) => response.text());
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await next).value).toMatchObject({ data: 'late' });
    expect(await text).toBe('data: late\n\n');
  });
});

it('CL-SIZE-HEADERS: headers that never end are an error without a time limit', async () => {
  const flood = keepSending(`X-A: ${'a'.repeat(4_000)}\r\n`);
  await using server = await startServer((request, response) => {
    request.socket.write('HTTP/1.1 200 OK\r\n');
    flood(request, response);
  });
  const call = serviceAt(server.url, { retry: false, timeout: 0 }).get('a');
  await expect(call).rejects.toMatchObject({ kind: 'network' });
});

it('an error is limited and reported, even with a status line that no `Response` can be created with', async () => {
  const sendForever = keepSending('a'.repeat(1_000_000));
  await using server = await startServer((request, response) => {
    request.socket.write('HTTP/1.1 999 Ошибка\r\n\r\n');
    sendForever(request, response);
  });
  const gateway = gatewayAt(server.url);
  const service = gateway.service<GatewayPaths>('x');
  expect(await service.request('a')).toMatchObject({ status: 999 });
  for (const GET of [gateway.GET, service.GET as typeof gateway.GET]) {
    const { response } = await GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
    expect(response.status).toBe(999);
  }
  const error = (await failureOf(service.get('a'))) as BerthError;
  expect(error).toMatchObject({ kind: 'service', status: 999, retryable: false });
  expect((error.body as string).length).toBeLessThan(2_000_000);
  const ofStorage = { kind: 'storage', status: 999, retryable: false };
  await expect(storageAt(server.url).tempUrl('a')).rejects.toMatchObject(ofStorage);
});

describe('an abort', () => {
  const reason = new Error('enough');

  it.each<[string, Handler]>([
    ['within the body', stall],
    ['during a wait', refuse('SERVICE_NOT_READY', 503, { 'Retry-After': '20' })],
  ])('%s ends the call with the reason', async (_, fault) => {
    const stop = new AbortController();
    await using server = await startServer((request, response) => {
      fault(request, response);
      setImmediate(() => stop.abort(reason));
    });
    const service = serviceAt(server.url);
    for (const _ of ['now', 'before']) {
      await expect(service.get('a', { signal: stop.signal })).rejects.toBe(reason);
    }
    expect(server.calls).toHaveLength(1);
  });

  it('ends the body of a raw response, and a call of another library', async () => {
    await using server = await startServer(stall, hang);
    const stop = new AbortController();
    const { signal } = stop;
    const gateway = gatewayAt(server.url);
    const response = await gateway.service('x').request('a', { signal });
    const request = new Request(gateway.service('x').url, { signal });
    const failures = [response.text(), gateway.fetch(request)].map(failureOf);
    stop.abort(reason);
    expect(await Promise.all(failures)).toEqual([reason, reason]);
  });
});
