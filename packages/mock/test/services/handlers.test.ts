import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { createMock, events, type HostedServices, routes } from '../../src/index.ts';
import { BEARER, gateway } from '../helpers/calls.ts';
import { askForWebSocket, postInParts } from '../helpers/raw.ts';
import { advanceUntil, nextWarning } from '../helpers/wait.ts';

let onCall: (request: Request) => Response | Promise<Response> = () => new Response();
const NEWS = [{ data: 'one\ntwo' }, { id: 'b', event: 'tick', data: { n: 2 } }, { data: 'three' }];

const shop = routes({
  'GET /orders/:id': (_, { id }) => Response.json({ id }),
  'GET /my%20orders/:id': (_, { id }) => Response.json({ id }),
  'GET /files/*': (_, params) => Response.json(params),
  'GET /files/a': () => Response.json('never: the first route that matches'),
  'GET /news': (request) => events(NEWS, request),
  'GET /endless': () => events(endless()),
  'GET /fails': () => events(fail()),
  'WS /echo': async (socket) => {
    for await (const message of socket) await socket.send(message);
    left.resolve();
  },
  'WS /rooms/:id': (socket, request, { id }) => socket.close(4_001, `${id} ${request.url}`),
  'WS /throws': () => {
    throw new Error('broken');
  },
});
const left = Promise.withResolvers<void>();

async function* fail() {
  yield { data: 'a' };
  throw new Error('no more');
}

let yielded = 0;
let cleanUp = Promise.withResolvers<void>();

async function* endless() {
  try {
    for (yielded = 0; ; yielded += 1) yield { data: 'x'.repeat(10_000) };
  } finally {
    cleanUp.resolve();
    // biome-ignore lint/correctness/noUnsafeFinally: what a service may do
    throw new Error('the clean-up failed');
  }
}

const broken: HostedServices = {
  locked() {
    const response = new Response('x');
    response.body?.getReader();
    return response;
  },
  sockets: { webSocket() {} },
  bare() {
    throw Object.create(null);
  },
  blob: () => new Blob(['x']) as never,
  json: () => JSON.parse('{'),
  long: () => new Response('0123456789', { headers: { 'content-length': '5' } }),
  unreachable: () => Response.error(),
  silent: () => new Promise<Response>(() => {}),
};

const mock = await createMock({
  services: { shop, ...broken, code: (request: Request) => onCall(request) },
});
afterAll(() => mock.close());
afterEach(() => vi.useRealTimers());

const url = `${mock.url}/v1/cloudrun`;
const ask = (path: string, headers = {}) =>
  gateway(mock, { path: `/v1/cloudrun/${path}`, headers });

describe('a Fetch handler', () => {
  test('receives the call without credentials, and may set several cookies', async () => {
    onCall = async (request) => {
      const { authorization, 'x-a': added } = Object.fromEntries(request.headers);
      const body = [request.method, request.url, await request.text(), added, authorization];
      const response = Response.json(body, { status: 201 });
      for (const cookie of ['a=1', 'b=2']) response.headers.append('set-cookie', cookie);
      return response;
    };
    const path = '/v1/cloudrun/code/a%2Fb?x=%20';
    const headers = { 'x-a': ['1', '2'] };
    const reply = await gateway(mock, { method: 'POST', path, headers, body: 'body' });
    expect(reply.json).toEqual(['POST', 'http://service/a%2Fb?x=%20', 'body', '1, 2', null]);
    expect(reply).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } });
  });

  test.each(['rest', ''])('may fail after part of the body, and then %j arrives', async (rest) => {
    onCall = async ({ body }) => {
      for await (const _ of body ?? []) break;
      throw new Error('No stock.');
    };
    const problem = nextWarning();
    expect(await postInParts(mock, '/v1/cloudrun/code', rest)).toMatch('HTTP/1.1 500');
    expect(await problem).toContain('No stock.');
  });

  test.each(['early', 'late'])('has its %s response cancelled on a disconnect', async (when) => {
    const [called, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onCall = async ({ signal }) => {
      called.resolve();
      if (when === 'late') await once(signal, 'abort');
      const body = new ReadableStream({ cancel: () => cancelled.resolve() });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const stop = new AbortController();
    const { signal } = stop;
    const response = fetch(`${url}/code`, { headers: BEARER, signal }).catch(() => {});
    await called.promise;
    if (when === 'early') expect(await response).toMatchObject({ status: 200 });
    stop.abort();
    await cancelled.promise;
  });
});

describe('routes', () => {
  test.each([
    ['shop/orders/a%2Fb', { id: 'a/b' }],
    ['shop/my%20orders/a', { id: 'a' }],
    ['shop/files/a/%2F', { '*': 'a/%2F' }],
    ['shop/files/a', { '*': 'a' }],
  ])('%s', async (path, expected) => {
    expect((await ask(path)).json).toEqual(expected);
  });

  test('HEAD has no body, and an unknown path gets the list of routes', async () => {
    const head = await gateway(mock, { method: 'HEAD', path: '/v1/cloudrun/shop/orders/1' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const path of ['shop/orders', 'shop/orders/', 'shop/orders/1/2', 'shop/files']) {
      const { status, json } = await ask(path);
      expect([status, json.message]).toEqual([404, expect.stringContaining('GET /orders/:id')]);
    }
  });

  test('a path that begins with two slashes is not a host', async () => {
    const { fetch } = routes({ 'GET //a': () => new Response() });
    expect((await fetch(new Request('http://service/'))).status).toBe(404);
    expect((await fetch(new Request('http://service//a'))).status).toBe(200);
  });

  const bad = ['PUT /', 'GET a', 'GET /{id}', 'GET /*/a', 'GET /:', 'GET /a?x=1', 'GET /a#b'];
  test.each([...bad, 'GET /a/:id?', 'GET /:name.json', 'GET /:id/:id'])('%s is invalid', (key) => {
    const create = () => routes({ [key]: () => new Response() } as never);
    expect(create).toThrow(`routes: "${key}"`);
    expect(create).toThrow(/, the methods of the gateway, and a path|the same name/);
  });
});

test('echo returns the status even if the client accepts an event stream', async () => {
  expect((await ask('echo/status/503', { accept: 'text/event-stream' })).status).toBe(503);
});

describe('events', () => {
  test('have IDs, and a client that reconnects gets the events after its last', async () => {
    const expected =
      'id: 1\ndata: one\ndata: two\n\nevent: tick\nid: b\ndata: {"n":2}\n\nid: 3\ndata: three\n\n';
    const reply = await ask('shop/news');
    expect(reply.headers['content-type']).toBe('text/event-stream');
    expect(reply.text).toBe(`retry: 1\n${expected}`);
    const rest = await ask('shop/news', { 'last-event-id': 'b' });
    expect(rest.text).toBe('retry: 1\nid: 3\ndata: three\n\n');
    expect((await ask('shop/news', { 'last-event-id': '3' })).status).toBe(204);
  });

  test('a source that fails closes the connection', async () => {
    const response = fetch(`${url}/shop/fails`, { headers: BEARER });
    await expect(response.then((received) => received.text())).rejects.toThrow(TypeError);
  });

  // An unhandled rejection would fail the run.
  test.each(['latency=0', 'truncate=1000000000'])(
    'a client that does not read slows the source down, which may fail to end: %s',
    async (fault) => {
      cleanUp = Promise.withResolvers<void>();
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
      const client = connect(mock.port, '127.0.0.1');
      const head = `Host: localhost\r\nAuthorization: ${BEARER.authorization}\r\nX-Mock-Fault: ${fault}`;
      client.write(`GET /v1/cloudrun/shop/endless HTTP/1.1\r\n${head}\r\n\r\n`);
      await once(client, 'readable');
      // The count stays the same during several calls once the buffers of the system are full.
      for (let before = -1, still = 0; still < 5; still = yielded === before ? still + 1 : 0) {
        before = yielded;
        await ask('shop/orders/1');
      }
      const stoppedAt = yielded;
      expect(stoppedAt * 10_000).toBeLessThan(32 * 1024 * 1024);
      client.resume();
      await expect.poll(() => yielded).toBeGreaterThan(2 * stoppedAt);
      client.destroy();
      await cleanUp.promise;
      await vi.waitFor(() => expect(printed).toHaveBeenCalledOnce());
      printed.mockRestore();
      expect((await ask('echo')).status).toBe(200);
    },
  );
});

describe('a WebSocket', () => {
  const open = (path: string, protocols: string[] = []) =>
    new WebSocket(`${url.replace('http', 'ws')}/${path}`, protocols, { headers: BEARER });

  test('receives and sends text and bytes until the client disconnects', async () => {
    const socket = open('shop/echo', ['chat']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('chat');
    for (const message of ['text', Buffer.from([0, 255])]) {
      socket.send(message);
      const [data, isBinary] = await once(socket, 'message');
      expect(isBinary ? data : String(data)).toEqual(message);
    }
    socket.terminate();
    await left.promise;
  });

  test.each([
    ['shop/rooms/7?a=1', 4_001, '7 http://service/rooms/7?a=1'],
    ['shop/throws', 1_011, 'The service failed.'],
    ['shop/none', 1_008, 'No route matches.'],
  ])('%s closes with %i', async (path, code, reason) => {
    const [actual, text] = await once(open(path), 'close');
    expect([actual, String(text)]).toEqual([code, reason]);
  });

  test('has the headers of every gateway response, and is rejected without a handler, like HTTP', async () => {
    const { statusCode, headers } = await askForWebSocket(`${url}/shop/echo`);
    expect([statusCode, headers['x-svc-upstream-status-code']]).toEqual([101, '101']);
    expect(headers['x-request-id']).not.toBe('');
    onCall = () => new Response();
    expect((await askForWebSocket(`${url}/code`)).statusCode).not.toBe(101);
    expect((await ask('sockets')).status).toBe(501);
  });
});

describe('a service that is broken', () => {
  test.each([
    ['locked', 500, 'create a new Response for each call', /create a new Response/],
    ['bare', 500, '[object Object]', /\[Object: null prototype\]/],
    // The location is that of the user's code, if there is one.
    ['blob', 500, 'return a Response', /^The service blob failed: TypeError: it must re[^:]*$/],
    ['json', 500, 'JSON', /^The service json failed: SyntaxError: .* at .*handlers\.test\.ts:\d+/],
    ['unreachable', 502, 'returned an invalid response', /returned the status 0/],
  ])('%s gets a %i, and the warning says why', async (name, status, text, reason) => {
    const problem = nextWarning();
    const reply = await ask(name);
    expect([reply.status, reply.json.message]).toEqual([status, expect.stringContaining(text)]);
    expect(await problem).toMatch(reason);
  });

  test('a wrong Content-Length closes the connection, and is reported', async () => {
    const problem = nextWarning();
    await expect(gateway(mock, { path: '/v1/cloudrun/long' })).rejects.toThrow();
    expect(await problem).toContain('content-length of 5 byte(s)');
  });

  test('a service that does not respond within a minute gets a SERVICE_TIMEOUT', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reply = await advanceUntil(gateway(mock, { path: '/v1/cloudrun/silent' }));
    expect([reply.status, reply.json.code]).toEqual([504, 'SERVICE_TIMEOUT']);
  });
});
