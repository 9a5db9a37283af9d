import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createMock, events } from '../../src/index.ts';
import { advanceUntil } from '../helpers/advance-until.ts';
import { BEARER, gateway } from '../helpers/calls.ts';

const cleanUp = Promise.withResolvers<void>();

async function* failsToCleanUp() {
  try {
    for (;;) yield { data: 'x'.repeat(10_000) };
  } finally {
    cleanUp.resolve();
    // biome-ignore lint/correctness/noUnsafeFinally: what a service may do
    throw new Error('the clean-up failed');
  }
}

const failsToCancel = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel() {
      throw new Error('not cancelled');
    },
  });

const mock = await createMock({
  services: {
    events: () => events(failsToCleanUp()),
    stream: () => new Response(failsToCancel()),
    locked() {
      const response = new Response('x');
      response.body?.getReader();
      return response;
    },
    bare() {
      throw Object.create(null);
    },
    blob: () => new Blob(['x']) as never,
    long: () => new Response('0123456789', { headers: { 'content-length': '5' } }),
    silent: () => new Promise<Response>(() => {}),
  },
});
afterAll(() => mock.close());
afterEach(() => vi.useRealTimers());

async function nextProblem(): Promise<string> {
  const [warning] = (await once(process, 'warning')) as [Error];
  return warning.message;
}

const toHead = (name: string) =>
  `GET /v1/cloudrun/${name} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER.authorization}\r\n\r\n`;

// An unhandled rejection would fail the run.
test('an event stream whose iterator fails to end does no harm', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const socket = connect(mock.port, '127.0.0.1');
  socket.write(toHead('events'));
  await once(socket, 'data');
  socket.destroy();
  await cleanUp.promise;
  await vi.waitFor(() => expect(printed).toHaveBeenCalledOnce());
  printed.mockRestore();
  expect((await gateway(mock, { path: '/v1/cloudrun/echo' })).status).toBe(200);
});

test('HEAD of a stream that fails to be cancelled is reported', async () => {
  const problem = nextProblem();
  const { status } = await gateway(mock, { method: 'HEAD', path: '/v1/cloudrun/stream' });
  expect(status).toBe(200);
  expect(await problem).toContain('not cancelled');
});

test.each([
  ['locked', 'create a new Response for each call'],
  ['bare', '[object Object]'],
  ['blob', 'return a Response'],
])('%s is a 500 that says why', async (name, text) => {
  const problem = nextProblem();
  const { status, json } = await gateway(mock, { path: `/v1/cloudrun/${name}` });
  expect([status, json.message]).toEqual([500, expect.stringContaining(text)]);
  await problem;
});

test('a body that its Content-Length contradicts ends the connection, and is reported', async () => {
  const problem = nextProblem();
  await expect(gateway(mock, { path: '/v1/cloudrun/long' })).rejects.toThrow();
  expect(await problem).toContain('content-length of 5 byte(s)');
});

test('a service that does not respond is a SERVICE_TIMEOUT after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reply = await advanceUntil(gateway(mock, { path: '/v1/cloudrun/silent' }));
  expect([reply.status, reply.json.code]).toEqual([504, 'SERVICE_TIMEOUT']);
});

test('a caller that disconnects leaves no timer, which would keep the process running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const socket = connect(mock.port, '127.0.0.1');
  socket.write(toHead('silent'));
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  socket.destroy();
  await expect.poll(() => vi.getTimerCount()).toBe(0);
});
