import { Readable } from 'node:stream';
import type { EventsOptions, ServiceEvent } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serviceAt } from './support/clients.ts';
import { type Handler, refuse, reset, serve, startServer } from './support/servers.ts';

const STREAM = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** Sends part of an event stream, then leaves the connection open, ends it or breaks it. */
const stream =
  (end: 'open' | 'end' | 'break', text: string): Handler =>
  (_, response) => {
    response.writeHead(200, STREAM);
    response.write(text, () => {
      if (end === 'end') response.end();
      if (end === 'break') response.destroy();
    });
  };
const done: Handler = (_, response) => response.writeHead(204).end();

async function collect(events: AsyncIterable<ServiceEvent>): Promise<string[]> {
  return Array.fromAsync(events, ({ data }) => data);
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
      const fetch = async () => new Response(Readable.from(pieces) as never, { headers: STREAM });
      const events = serviceAt('http://g.example', { fetch }).events('a', { reconnect: false });
      expect(await Array.fromAsync(events)).toEqual(expected);
    }
  });

  it('have no limit for comments, even if a blank line arrives in two pieces', async () => {
    const comment = `\n: ${'a'.repeat(2 ** 20)}\n`;
    const pieces = [...Array(17).fill(comment), '\ndata: one\n\n'].map((text) => Buffer.from(text));
    const fetch = async () => new Response(Readable.from(pieces) as never, { headers: STREAM });
    const events = serviceAt('http://g.example', { fetch }).events('a', { reconnect: false });
    expect(await collect(events)).toEqual(['one']);
  });

  it('CL-SSE-ACCEPT, CL-SSE-RESUME, CL-SSE-END: continue after the last complete event until a 204', async () => {
    await using server = await startServer(
      stream('break', 'retry: 1\n\nid: 1\ndata: one\n\nid: 2\ndata: half'),
      reset,
      refuse('SERVICE_NOT_READY', 503),
      stream('end', 'id: é2\ndata: two\n\n'),
      // This ID cannot be sent.
      stream('end', 'id: \u0001\ndata: three\n\n'),
      done,
    );
    const options = { lastEventId: '0', headers: { 'X-A': 'a' } };
    const events = serviceAt(server.url).events('a', options);
    expect(await collect(events)).toEqual(['one', 'two', 'three']);
    const e2 = Buffer.from('é2').toString('latin1');
    const ids = server.calls.map(({ headers }) => headers['last-event-id']);
    expect(ids).toEqual(['0', '1', '1', '1', e2, e2]);
    const all = { accept: 'text/event-stream', 'x-a': 'a' };
    for (const { headers } of server.calls) expect(headers).toMatchObject(all);
  });

  it('release their connection when the loop is left', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await using server = await startServer((request, response) => {
      response.on('close', close);
      stream('open', 'data: one\n\n')(request, response);
    });
    for await (const _ of serviceAt(server.url).events('a')) break;
    await closed;
  });

  const gone = serve({ reason: 'gone' }, 410);
  const later = stream('end', 'retry: 1\n\n');
  const rejected = { kind: 'service', status: 410, body: { reason: 'gone' } };
  const emptyLines = stream('open', 'data:\n'.repeat(3 * 2 ** 20));
  const endless = { kind: 'contract', retryable: false };
  const once = { reconnect: false };
  const silent = { reconnect: false, idle: 50 };
  it.each<[string, Handler[], object, EventsOptions?]>([
    ['the connection breaks', [stream('break', 'data: one\n\n')], { kind: 'network' }, once],
    ['the stream is silent', [stream('open', 'data: one\n\n')], { kind: 'timeout' }, silent],
    ['the service rejects a later connection', [later, gone], rejected],
    ['the response is not an event stream', [serve({})], { kind: 'contract' }],
    ['an event has no end', [stream('open', `data: ${'a'.repeat(17 * 2 ** 20)}`)], endless],
    ['an event of empty lines has no end', [emptyLines], endless],
  ])('fail if %s', async (_, acts, expected, options) => {
    await using server = await startServer(...acts);
    const events = serviceAt(server.url, { retry: false }).events('a', options);
    await expect(collect(events)).rejects.toMatchObject(expected);
    expect(server.calls).toHaveLength(acts.length);
  });

  it('connect again if the stream is silent for longer than idle', async () => {
    const first = stream('open', 'retry: 1\n\nid: 1\ndata: one\n\n');
    await using server = await startServer(first, stream('end', 'data: two\n\n'), done);
    const service = serviceAt(server.url);
    expect(await collect(service.events('a', { idle: 50 }))).toEqual(['one', 'two']);
    expect(server.calls[1]?.headers['last-event-id']).toBe('1');
  });
});

describe('CL-SSE-RETRY: the wait between two connections', () => {
  beforeEach(async () => {
    // Loads the code, so that only timers are waited for.
    await serviceAt('http://g.example').events('a', { signal: AbortSignal.abort() }).next();
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const LOST = new Error('lost');
  const EVENT = 'data: a\n\n';
  it.each<[string, number, (string | Error)[], number[]]>([
    ['a second, if the service sets none', 0, [EVENT], [1000]],
    ['at most half of it more, at random', 0.5, [EVENT], [1250]],
    [
      'doubled up to a limit while no event arrives, then the first one again',
      0.5,
      [EVENT, LOST, LOST, '', ': comment\n\n', LOST, LOST, EVENT, LOST],
      [1250, 2500, 5000, 10_000, 20_000, 30_000, 30_000, 1250, 2500],
    ],
    [
      "the service's latest value",
      0.5,
      [`retry: 40\n${EVENT}`, LOST, LOST, `retry: 400\n${EVENT}`, LOST],
      [50, 250, 500, 500, 1000],
    ],
    ['never 0 if connections fail', 0.5, [`retry: 0\n${EVENT}`, LOST], [0, 250]],
  ])('is %s', async (_, chance, pieces, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(chance);
    const at: number[] = [];
    const fetch = async () => {
      at.push(Date.now());
      const piece = pieces[at.length - 1];
      if (piece === undefined) return new Response(null, { status: 204 });
      if (piece instanceof Error) throw piece;
      return new Response(piece, { headers: STREAM });
    };
    const events = collect(serviceAt('http://g.example', { fetch, retry: false }).events('a'));
    await vi.runAllTimersAsync();
    await events;
    const waits = at.slice(1).map((ms, index) => Math.floor(ms - (at[index] ?? 0)));
    expect(waits).toEqual(expected);
  });
});
