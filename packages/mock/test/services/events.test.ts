import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { ServiceEvent } from '../../src/services/fake-service.ts';
import type { ServiceFault } from '../../src/services/services.ts';
import { get, startServices } from './start-services.ts';

const NEWS: readonly ServiceEvent[] = [
  { comment: 'hello', retry: 10 },
  { id: 1, event: 'tick', data: { n: 1 } },
  { id: 2, data: 'two\nlines' },
  { id: 4, data: 'last' },
];

const faults: ServiceFault[] = [];

const started = await startServices(
  {
    news: {
      routes: {
        'GET /whole': { events: NEWS },
        'GET /flood': () => ({ events: flood() }),
        'GET /made': () => ({ events: made() }),
        'GET /waits': () => ({ events: waits() }),
        'GET /fails': () => ({ events: fails() }),
      },
    },
  },
  { onFault: (fault) => faults.push(fault) },
);
afterAll(() => started[Symbol.asyncDispose]());

function* flood(): Generator<ServiceEvent> {
  for (;;) {
    flooded += 1;
    yield { data: 'x'.repeat(10_000) };
  }
}
let flooded = 0;

async function* fails(): AsyncGenerator<ServiceEvent> {
  yield { data: 'a' };
  throw new Error('no more');
}

async function* made(): AsyncGenerator<ServiceEvent> {
  for (const n of [1, 2]) yield { data: { n } };
}

/** Gives one event, then waits for what never comes. */
function waits(): AsyncIterable<ServiceEvent> {
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

test('events are written one by one, and ends', async () => {
  const { response, text, error } = await read('whole');
  expect(error).toBeUndefined();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.has('content-disposition')).toBe(false);
  expect(text).toBe(
    ': hello\nretry: 10\n\nevent: tick\nid: 1\ndata: {"n":1}\n\nid: 2\ndata: two\ndata: lines\n\nid: 4\ndata: last\n\n',
  );
});

test('a client that reconnects continues after the last event, and gets 204 if there is none', async () => {
  expect((await read('whole', '2')).text).toBe('id: 4\ndata: last\n\n');
  expect((await read('whole', 'unknown')).text).toContain('id: 1');
  expect((await read('whole', '4')).response.status).toBe(204);
});

test('an iterator that fails cuts the connection', async () => {
  expect((await read('fails')).error).toBeInstanceOf(TypeError);
  expect(faults).toMatchObject([{ message: expect.stringContaining('no more') }]);
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

test('a caller that does not read slows the events down', async () => {
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
