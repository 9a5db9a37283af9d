import { Readable } from 'node:stream';
import type { ServiceEvent } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, serviceAt } from './support/clients.ts';
import { type Act, faultServer, refuse, reset, serve } from './support/servers.ts';

/** Sends pieces of an event stream, then leaves the connection open, ends it or breaks it. */
const stream =
  (end: 'open' | 'end' | 'break', ...pieces: (string | Uint8Array)[]): Act =>
  async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    for (const piece of pieces)
      await new Promise<void>((written) => response.write(piece, () => written()));
    if (end === 'end') response.end();
    if (end === 'break') response.destroy();
  };
const done: Act = (_, response) => response.writeHead(204).end();

async function collect(events: AsyncIterable<ServiceEvent>): Promise<string[]> {
  const all: string[] = [];
  for await (const { data } of events) all.push(data);
  return all;
}

describe('events', () => {
  const event = (data: string, id = '', name = 'message') => ({ event: name, data, id });
  it.each<[string, string, object[]]>([
    [
      'CL-SSE-LINES',
      'data: a\rdata: b\r\rdata: c\r\n\r\ndata:d\n\ndata:  e\n\ndata\n\n',
      [event('a\nb'), event('c'), event('d'), event(' e'), event('')],
    ],
    ['CL-SSE-COMMENTS', ': no\n\nfoo: bar\n\nevent: x\n\ndata: a\n\n', [event('a')]],
    [
      'CL-SSE-FIELDS',
      'id: 1\nevent: e\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
      [event('a', '1', 'e'), event('b', '1'), event('c')],
    ],
    ['CL-SSE-INCOMPLETE', 'data: a\n\ndata: b\n', [event('a')]],
    ['CL-SSE-CHUNKS, with a BOM', '\uFEFFdata: 中é\n\n', [event('中é')]],
  ])('%s: are the same however they are split', async (_, text, expected) => {
    const bytes = Buffer.from(text);
    const single = Array.from(bytes, (byte) => Buffer.of(byte));
    const half = bytes.length >> 1;
    for (const pieces of [[bytes], single, [bytes.subarray(0, half), bytes.subarray(half)]]) {
      // A server cannot decide which pieces arrive together.
      const init = { headers: { 'Content-Type': 'text/event-stream' } };
      const fetch = async () => new Response(Readable.from(pieces) as never, init);
      const events = serviceAt('http://g.example', { fetch }).events('a', { reconnect: false });
      expect(await Array.fromAsync(events)).toEqual(expected);
    }
  });

  it('CL-SSE-ACCEPT: are returned one by one, before the stream ends', async () => {
    await using server = await faultServer(stream('open', 'data: a\n\n'));
    const stop = new AbortController();
    const events = serviceAt(server.baseUrl).events('a', { signal: stop.signal });
    expect(await events.next()).toEqual({ done: false, value: event('a') });
    expect(server.calls[0]?.headers.accept).toBe('text/event-stream');
    const next = events.next();
    stop.abort(new Error('enough'));
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('CL-SSE-RESUME, CL-SSE-END: continue after the last complete event until a 204', async () => {
    await using server = await faultServer(
      stream('break', 'retry: 1\n\nid: 1\ndata: one\n\nid: 2\ndata: half'),
      reset,
      refuse('SERVICE_NOT_READY', 503),
      stream('end', 'id: é2\ndata: two\n\n'),
      // This ID cannot be sent.
      stream('end', 'id: \u0001\ndata: three\n\n'),
      done,
    );
    const options = { lastEventId: '0', headers: { 'X-A': 'a' } };
    const events = serviceAt(server.baseUrl).events('a', options);
    expect(await collect(events)).toEqual(['one', 'two', 'three']);
    const e2 = Buffer.from('é2').toString('latin1');
    const ids = server.calls.map(({ headers }) => headers['last-event-id']);
    expect(ids).toEqual(['0', '1', '1', '1', e2, e2]);
    for (const { headers } of server.calls) expect(headers['x-a']).toBe('a');
  });

  it('end with their connection if reconnect is false, or fail if it breaks', async () => {
    const acts = [stream('end', 'data: one\n\n'), stream('break', 'data: two\n\n')];
    await using server = await faultServer(...acts);
    const events = () => serviceAt(server.baseUrl).events('a', { reconnect: false });
    expect(await collect(events())).toEqual(['one']);
    expect(await failureOf(collect(events()))).toMatchObject({ kind: 'network' });
  });

  it('release their connection when the loop is left', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await using server = await faultServer((request, response) => {
      response.on('close', close);
      stream('open', 'data: one\n\n')(request, response);
    });
    for await (const _ of serviceAt(server.baseUrl).events('a')) break;
    await closed;
  });

  const gone = serve({ reason: 'gone' }, 410);
  const later = stream('end', 'retry: 1\n\n');
  const rejected = { kind: 'service', status: 410, body: { reason: 'gone' } };
  it.each<[string, Act[], object]>([
    ['the service rejects the first connection', [gone], rejected],
    ['the service rejects a later connection', [later, gone], rejected],
    ['the response is not an event stream', [serve({})], { kind: 'contract' }],
    ['there is no first connection', [reset], { kind: 'network' }],
    [
      'an event has no end',
      [stream('open', `data: ${'a'.repeat(17 * 2 ** 20)}`)],
      { kind: 'contract', retryable: false },
    ],
    [
      'an event of empty lines has no end',
      [stream('open', 'data:\n'.repeat(3 * 2 ** 20))],
      { kind: 'contract', retryable: false },
    ],
  ])('fail if %s', async (_, acts, expected) => {
    await using server = await faultServer(...acts);
    const events = serviceAt(server.baseUrl, { retry: false }).events('a');
    expect(await failureOf(collect(events))).toMatchObject(expected);
    expect(server.calls).toHaveLength(acts.length);
  });

  it('connect again if the stream is silent for longer than idle, or fail', async () => {
    const silent = stream('open', 'retry: 1\n\nid: 1\ndata: one\n\n');
    await using server = await faultServer(silent, stream('end', 'data: two\n\n'), done, silent);
    const service = serviceAt(server.baseUrl);
    expect(await collect(service.events('a', { idle: 50 }))).toEqual(['one', 'two']);
    expect(server.calls[1]?.headers['last-event-id']).toBe('1');
    const once = collect(service.events('a', { idle: 50, reconnect: false }));
    expect(await failureOf(once)).toMatchObject({ kind: 'timeout' });
  });
});

describe('CL-SSE-RETRY: the wait between two connections', () => {
  const lost = new Error('lost');
  const EVENT = 'data: a\n\n';
  beforeEach(async () => {
    // Loads the code, so that only timers are waited for.
    await serviceAt('http://g.example').events('a', { signal: AbortSignal.abort() }).next();
    vi.useFakeTimers();
    vi.spyOn(Math, 'random');
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
    const events = collect(serviceAt('http://g.example', { fetch, retry: false }).events('a'));
    await vi.runAllTimersAsync();
    await events;
    return at.slice(1).map((ms, index) => Math.floor(ms - (at[index] ?? 0)));
  }

  it.each<[string, number, (string | Error)[], number[]]>([
    ['a second, if the service sets none', 0, [EVENT], [1000]],
    ['at most half of it more, at random', 0.5, [EVENT], [1250]],
    [
      'doubled up to a limit while no event arrives',
      0.5,
      [EVENT, lost, lost, '', ': comment\n\n', lost, lost],
      [1250, 2500, 5000, 10_000, 20_000, 30_000, 30_000],
    ],
    [
      'the first one again after an event',
      0.5,
      [EVENT, lost, lost, EVENT, lost],
      [1250, 2500, 5000, 1250, 2500],
    ],
    [
      "the service's latest value",
      0.5,
      [`retry: 40\n${EVENT}`, lost, lost, `retry: 400\n${EVENT}`, lost],
      [50, 250, 500, 500, 1000],
    ],
    ['never 0 if connections fail', 0.5, [`retry: 0\n${EVENT}`, lost], [0, 250]],
  ])('is %s', async (_, chance, pieces, expected) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    expect(await waits(...pieces)).toEqual(expected);
  });
});
