import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { ScriptedEvent } from '../../src/services/fake-service.ts';
import { get, startServices } from './start-services.ts';

const NEWS: readonly ScriptedEvent[] = [
  { comment: 'hello', retry: 10 },
  { id: 1, event: 'tick', data: { n: 1 } },
  { id: 2, data: 'two\nlines', delay: '5ms' },
  { id: 3, data: 'third', cut: true },
  { id: 4, data: 'last' },
];

const started = await startServices({
  news: {
    routes: {
      'GET /whole': { events: NEWS.filter(({ cut }) => !cut) },
      'GET /cut': { events: NEWS },
      'GET /bare-cut': { events: [{ data: 'a' }, { cut: true }] },
      'GET /open': { events: [{ id: 1, data: 'one' }], keepOpen: true },
      'GET /repeat': { events: [{ data: 'x'.repeat(1_000), delay: 1 }], repeat: true },
      'GET /flood': () => ({ events: flood() }),
      'GET /made': () => ({ events: made() }),
      'GET /waits': () => ({ events: waits() }),
    },
  },
});
afterAll(() => started[Symbol.asyncDispose]());

function* flood(): Generator<ScriptedEvent> {
  for (;;) {
    flooded += 1;
    yield { data: 'x'.repeat(10_000) };
  }
}
let flooded = 0;

async function* made(): AsyncGenerator<ScriptedEvent> {
  for (const n of [1, 2]) yield { data: { n } };
}

/** Gives one event, then waits for what never comes. */
function waits(): AsyncIterable<ScriptedEvent> {
  const first = [{ data: 'first' }];
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = first.shift();
        return value === undefined ? new Promise(() => {}) : { done: false, value };
      },
      async return() {
        givenBack();
        return { done: true, value: undefined };
      },
    }),
  };
}
let givenBack = () => {};

const read = async (path: string, lastId?: string) => {
  const response = await get(started, `news/${path}`, {
    headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
  });
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    return { response, text, error };
  }
  return { response, text, error: undefined };
};

test('a script is written event by event, and ends', async () => {
  const { response, text, error } = await read('whole');
  expect(error).toBeUndefined();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.has('content-disposition')).toBe(false);
  expect(text).toBe(
    ': hello\nretry: 10\n\nevent: tick\nid: 1\ndata: {"n":1}\n\nid: 2\ndata: two\ndata: lines\n\nid: 4\ndata: last\n\n',
  );
});

test('a cut loses the connection in the middle of its event', async () => {
  const { text, error } = await read('cut');
  expect(error).toBeInstanceOf(TypeError);
  expect(text).toMatch(/data: two\ndata: lines\n\nid: 3\ndat$/);
  expect((await read('bare-cut')).text).toBe('data: a\n\n');
  expect((await read('bare-cut')).error).toBeInstanceOf(TypeError);
});

test('a client that reconnects continues after the last event, and gets an interrupted event in full', async () => {
  const { text, error } = await read('cut', '2');
  expect(error).toBeUndefined();
  expect(text).toBe('id: 3\ndata: third\n\nid: 4\ndata: last\n\n');
  expect((await read('whole', 'unknown')).text).toContain('id: 1');
});

test('a client that has all events gets 204, unless the stream stays open', async () => {
  expect((await read('whole', '4')).response.status).toBe(204);
  const stop = new AbortController();
  const open = await get(started, 'news/open', {
    headers: { 'last-event-id': '1' },
    signal: stop.signal,
  });
  expect(open.status).toBe(200);
  stop.abort();
});

test('HEAD has the headers alone', async () => {
  const head = await get(started, 'news/open', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/event-stream',
    '',
  ]);
});

test('a function may make the events', async () => {
  expect((await read('made')).text).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
});

/** Begins a call over a connection of its own. */
async function callAlone(path: string) {
  const caller = connect(started.port, '127.0.0.1');
  caller.write(
    `GET /v1/cloudrun/news/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\r\n\r\n`,
  );
  await once(caller, 'readable');
  return caller;
}

test('a script without end ends with its caller', async () => {
  const caller = await callAlone('repeat');
  let read = 0;
  caller.on('data', (bytes: Buffer) => {
    read += bytes.length;
    if (read > 3_000) caller.destroy();
  });
  await once(caller, 'close');
  await expect.poll(() => started.requests.list().at(-1)?.response).toMatchObject({ status: 200 });
});

test('a waiting iterator is closed when its caller disconnects', async () => {
  const done = new Promise<void>((resolve) => {
    givenBack = resolve;
  });
  const stop = new AbortController();
  const response = await get(started, 'news/waits', { signal: stop.signal });
  await response.body?.getReader().read();
  stop.abort();
  await done;
});

test('a caller that does not read slows the script down', async () => {
  const caller = await callAlone('flood');
  caller.pause();
  let before = -1;
  // The buffers of the system fill up: then no more events are created.
  for (let still = 0; still < 5; still = flooded === before ? still + 1 : 0) {
    before = flooded;
    await get(started, 'news/made');
  }
  expect(flooded * 10_000).toBeLessThan(32 * 1024 * 1024);
  caller.destroy();
});
