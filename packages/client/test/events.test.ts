import { createGatewayClient, type GatewayClientOptions, type ServiceEvent } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { type Act, faultServer, refuse, reset, serve } from './support/fault-server.ts';

const service = (baseUrl: string, options: object = {}) =>
  createGatewayClient({
    retry: { baseDelay: 1 },
    ...options,
    baseUrl,
  } as GatewayClientOptions).service('x');

/** Sends chunks of an event stream, then leaves the connection open, ends it or breaks it. */
const stream =
  (end: 'open' | 'end' | 'break', ...pieces: string[]): Act =>
  async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    for (const piece of pieces)
      await new Promise<void>((done) => response.write(piece, () => done()));
    if (end === 'end') response.end();
    if (end === 'break') response.destroy();
  };
const done: Act = (_, response) => response.writeHead(204).end();

async function collect<T>(events: AsyncIterable<ServiceEvent<T>>): Promise<T[]> {
  const all: T[] = [];
  for await (const { data } of events) all.push(data);
  return all;
}

describe('events', () => {
  it('are parsed and returned one by one, before the stream ends', async () => {
    await using server = await faultServer(
      stream('open', 'event: price\nid: 7\ndata: a\ndata: b\n\n'),
    );
    const stop = new AbortController();
    const events = service(server.baseUrl).events('prices', { signal: stop.signal });
    expect(await events.next()).toEqual({
      done: false,
      value: { event: 'price', data: 'a\nb', id: '7' },
    });
    expect(server.calls[0]?.headers.accept).toBe('text/event-stream');
    const next = events.next();
    stop.abort(new Error('enough'));
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('resume after the last complete event when the connection drops', async () => {
    await using server = await faultServer(
      stream('break', 'retry: 1\n\nid: 1\ndata: one\n\nid: 2\ndata: half'),
      reset,
      refuse('SERVICE_NOT_READY', 503),
      stream('end', 'id: é2\ndata: two\n\n'),
      stream('end', 'data: three\n\n'),
      done,
    );
    expect(await collect(service(server.baseUrl).events('a'))).toEqual(['one', 'two', 'three']);
    const ids = server.calls.map(({ headers }) => headers['last-event-id']);
    const e2 = Buffer.from('é2').toString('latin1');
    expect(ids).toEqual([undefined, '1', '1', '1', e2, e2]);
  });

  it('end with their connection if reconnect is false', async () => {
    const options = { reconnect: false };
    await using server = await faultServer(
      stream('end', 'data: one\n\n'),
      stream('break', 'data: two\n\n'),
    );
    expect(await collect(service(server.baseUrl).events('a', options))).toEqual(['one']);
    const broken = collect(service(server.baseUrl).events('a', options));
    expect(await failureOf(broken)).toMatchObject({ name: 'NetworkError' });
  });

  it('release their connection when the loop is left', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await using server = await faultServer((request, response) => {
      response.on('close', close);
      stream('open', 'data: one\n\n')(request, response);
    });
    for await (const _ of service(server.baseUrl).events('a')) break;
    await closed;
  });

  it('throw if the service refuses, on the first connection or later', async () => {
    const gone = serve({ reason: 'gone' }, 410);
    await using server = await faultServer(gone, stream('end', 'retry: 1\n\n'), gone);
    for (let round = 0; round < 2; round += 1) {
      const error = await failureOf(collect(service(server.baseUrl).events('a')));
      expect(error).toMatchObject({ name: 'GatewayError', source: 'service', status: 410 });
      expect((error as { body(): unknown }).body()).toEqual({ reason: 'gone' });
    }
  });

  it('throw if the response is not an event stream, or if the first connection fails', async () => {
    await using server = await faultServer(
      serve({}),
      stream('end', 'retry: 1\n\n'),
      serve({}),
      reset,
    );
    const signal = AbortSignal.timeout(300_000);
    const fail = () => failureOf(collect(service(server.baseUrl).events('a', { signal })));
    expect(await fail()).toMatchObject({ name: 'ContractError' });
    expect(await fail()).toMatchObject({ name: 'ContractError' });
    expect(server.calls).toHaveLength(3);
    expect(await fail()).toMatchObject({ name: 'NetworkError' });
  });

  it('end quietly on a signal that has already aborted', async () => {
    await using server = await faultServer(done);
    const signal = AbortSignal.abort();
    expect(await collect(service(server.baseUrl).events('a', { signal }))).toEqual([]);
    expect(server.calls).toHaveLength(0);
  });
});

describe('the wait between two connections', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Ends or breaks connections, and returns the milliseconds between them. */
  async function waits(...pieces: (string | Error)[]) {
    const at: number[] = [];
    const fetch = async () => {
      at.push(Date.now());
      const piece = pieces[at.length - 1];
      if (piece === undefined) return new Response(null, { status: 204 });
      if (piece instanceof Error) throw piece;
      return new Response(piece, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    const options = { fetch, retry: false as const };
    const events = collect(service('http://g.example', options).events('a'));
    await vi.runAllTimersAsync();
    await events;
    return at.slice(1).map((ms, index) => Math.floor(ms - (at[index] ?? 0)));
  }
  const lost = new Error('lost');
  const EVENT = 'data: a\n\n';

  it('is a second, plus at most half of it at random, if the server sets none', async () => {
    expect(await waits(EVENT)).toEqual([1250]);
    vi.mocked(Math.random).mockReturnValue(0);
    expect(await waits(EVENT)).toEqual([1000]);
  });

  it('doubles up to a limit while no event arrives', async () => {
    const seen = await waits(EVENT, lost, lost, '', ': comment\n\n', lost, lost);
    expect(seen).toEqual([1250, 2500, 5000, 10_000, 20_000, 30_000, 30_000]);
  });

  it('is the first one again after an event has arrived', async () => {
    expect(await waits(EVENT, lost, lost, EVENT, lost)).toEqual([1250, 2500, 5000, 1250, 2500]);
  });

  it("is the server's latest value, but never 0 if connections fail", async () => {
    expect(await waits(`retry: 40\n${EVENT}`, lost, lost, `retry: 400\n${EVENT}`, lost)).toEqual([
      50, 250, 500, 500, 1000,
    ]);
    expect(await waits(`retry: 0\n${EVENT}`, lost)).toEqual([0, 250]);
  });
});
