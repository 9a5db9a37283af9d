import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createEventStream, type EventStream } from '@berth/server-stubs';
import { toEventText } from '@berth/server-stubs/contract';
import { createTableRouter, type Handler, type RouterOptions } from '@berth/server-stubs/runtime';
import { describe, expect, it, vi } from 'vitest';
import { send } from './support/send.ts';
import { open, receive } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { toTable } from './support/to-table.ts';

const BINARY = { mediaType: '*/*', kind: 'binary' } as const;
const EVENTS = { mediaType: 'text/event-stream', kind: 'text' } as const;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Serves a stream of events, which is returned after the first request. */
async function startEvents(heartbeatSeconds: number) {
  const streams: EventStream[] = [];
  const base = await start((_input, call) => {
    const events = createEventStream(call, { heartbeatSeconds });
    streams.push(events);
    return { status: 200, contentType: 'text/event-stream', body: events.body };
  });
  const socket = await open(base);
  socket.write(GET);
  return { socket, streams };
}

function start(operation: Handler, options: RouterOptions = {}) {
  const routes = ['GET', 'POST'].map((method) => ({
    path: '/',
    method,
    operationId: method,
    body: { required: false, content: [BINARY] },
    responses: [{ status: '200', content: [BINARY, EVENTS] }],
  }));
  return serve(createTableRouter(toTable(routes), { GET: operation, POST: operation }, options));
}

const NOT_BYTES = /must be of type string or an instance of Buffer/;

async function* breaking() {
  yield Buffer.from('begin');
  throw new Error('secret');
}

describe('streams', () => {
  it('go in and out, of both kinds', async () => {
    const node = await start(({ body }) => ({ status: 200, body }));
    const bytes = 'x'.repeat(3_000_000);
    expect((await send(node, '/', { method: 'POST', body: bytes })).text).toBe(bytes);
    const web = await start(({ body }) => ({ status: 200, body: Readable.toWeb(body) as never }));
    expect((await send(web, '/', { method: 'POST', body: bytes })).text).toBe(bytes);
  });

  it.each([
    ['midway', 'secret', () => Readable.from(breaking())],
    ['midway, from the web', 'secret', () => Readable.toWeb(Readable.from(breaking()))],
    ['already', 'secret', () => new Readable().destroy(new Error('secret'))],
    ['without an error', 'Premature close', () => new Readable().destroy()],
    ['with an object', NOT_BYTES, () => Readable.from([{}])],
  ])('that have failed %s are reported to onError', async (_when, message, create) => {
    const onError = vi.fn();
    const body = create();
    if (body instanceof Readable) body.on('error', () => {});
    const base = await start(() => ({ status: 200, body }), { onError });
    await expect(send(base, '/')).rejects.toThrow();
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringMatching(message) }),
      expect.objectContaining({ operationId: 'GET' }),
    );
  });

  it('are destroyed for HEAD, or if the client disconnects', async () => {
    const bodies: Readable[] = [];
    const base = await start(() => {
      const body = new Readable({ read() {} });
      bodies.push(body);
      body.push('begin');
      return { status: 200, body };
    });
    expect((await send(base, '/', { method: 'HEAD' })).text).toBe('');
    await expect.poll(() => bodies[0]?.destroyed).toBe(true);
    const socket = await open(base);
    socket.write(GET);
    await receive(socket, 'begin');
    socket.destroy();
    await expect.poll(() => bodies[1]?.destroyed).toBe(true);
  });

  it('enforce the limit of a body of unknown length', async () => {
    const read: Handler = async ({ body }) => ({ status: 200, body: await text(body) });
    const base = await start(read, { requests: { streamBytes: 5 } });
    const headers = { 'content-type': 'a/b' };
    const chunked = (body: string) =>
      send(base, '/', { method: 'POST', headers, body: Readable.from([body]) });
    expect((await chunked('12345')).text).toBe('12345');
    expect((await chunked('123456')).status).toBe(413);
  });
});

describe('a stream of events', () => {
  it('reaches the client one by one', async () => {
    const { socket, streams } = await startEvents(0);
    expect(await receive(socket, '\r\n\r\n')).toContain('content-type: text/event-stream');
    const [events] = streams as [EventStream];
    expect(await events.send({ event: 'a', data: 'x\ny' })).toBe(true);
    await receive(socket, 'event: a\ndata: x\ndata: y\n\n');
    events.close();
    await receive(socket, '0\r\n\r\n');
    expect(await events.send({ data: 'late' })).toBe(false);
    socket.destroy();
  });

  it('sends a heartbeat while idle, and ends when its client disconnects', async () => {
    const { socket, streams } = await startEvents(5);
    await receive(socket, ':\n\n');
    socket.destroy();
    const [events] = streams as [EventStream];
    await expect.poll(() => events.body.destroyed).toBe(true);
    expect(await events.send({ data: 'late' })).toBe(false);
  });

  it('ends when its handler fails', async () => {
    let events: EventStream | undefined;
    const operation: Handler = (_input, call) => {
      events = createEventStream(call, { heartbeatSeconds: 0.005 });
      throw new Error('secret');
    };
    await send(await start(operation, { onError: () => {} }), '/');
    await expect.poll(() => events?.body.destroyed).toBe(true);
    expect(await events?.send({ data: 'late' })).toBe(false);
  });
});

it.each([
  [{ data: 'a\r\nb\rc\n' }, 'data: a\ndata: b\ndata: c\ndata: \n\n'],
  [{ data: '' }, 'data: \n\n'],
  [{ data: { a: 1 } }, 'data: {"a":1}\n\n'],
  [{ event: 'tick', id: '7', retry: 0, data: 1 }, 'retry: 0\nevent: tick\nid: 7\ndata: 1\n\n'],
  [{ comment: 'a\nb', id: '' }, ': a\n: b\nid: \n\n'],
])('the event %j is written', (event, text) => {
  expect(toEventText(event)).toBe(text);
});

it.each([
  { event: 'a\nb' },
  { id: 'a\rb' },
  { id: '\0' },
  { retry: -1 },
  { retry: 1.5 },
  { data: () => 1 },
])('the event %j is rejected by name', (event) => {
  expect(() => toEventText(event as never)).toThrow(`The event's ${Object.keys(event)} must be`);
});
