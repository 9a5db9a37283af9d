import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { listen } from '../../../../scripts/testing/listen.ts';
import { createMock } from '../../src/index.ts';
import { BEARER, gateway } from '../helpers/calls.ts';
import { postInParts } from '../helpers/raw.ts';

let respond: (request: IncomingMessage, response: ServerResponse) => unknown;
const real = await listen(
  createServer({ keepAliveTimeout: 0 }, (request, response) => void respond(request, response)),
);
const sockets = await listen(createServer().on('upgrade', upgrade));
const mock = await createMock({
  services: {
    real: `${real.url}/base/`,
    chat: new URL(sockets.url),
    gone: 'http://127.0.0.1:1',
    fetched: () => fetch(real.url),
  },
});
afterAll(async () => {
  await mock.close();
  await real.close();
  await sockets.close();
});

const webSockets = new WebSocketServer({ noServer: true });

/** Loses the connection at the first message, and changes to no WebSocket at `/h2c`. */
function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void {
  connection.on('error', () => {});
  if (request.url === '/h2c') {
    connection.write('HTTP/1.1 101 To\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    return;
  }
  webSockets.handleUpgrade(request, connection, head, (socket) => {
    socket.on('message', () => socket.terminate());
  });
}

const url = `${mock.url}/v1/cloudrun`;

test('the URL must use HTTP or HTTPS, in any case, and have no query', async () => {
  const urls = ['ftp://h', new URL('ftp://h'), 'http://h/?key=a', '10.0.0.1:80/a', 'http://'];
  for (const bad of urls) {
    await expect(createMock({ services: { bad } })).rejects.toThrow(
      /^services: bad: .*URL such as http:\/\/127\.0\.0\.1:3000, without a query, got \S+/,
    );
  }
  await using loud = await createMock({ services: { loud: 'HTTP://127.0.0.1:1/a.json' } });
  const { json } = await gateway(loud, { path: '/v1/cloudrun/loud' });
  expect(json.code).toBe('SERVICE_LB_STATUS_ABNORMAL');
});

// The conformance suite checks on the mock what is forwarded unchanged.
test('appends the path to the URL, and drops the headers for the mock', async () => {
  let received: IncomingMessage | undefined;
  respond = (request, response) => {
    received = request;
    response.end();
  };
  const path = '/v1/cloudrun/real/a%2Fb';
  const headers = { 'x-a': ['1', '2'], 'x-mock-session': 'a', prefer: 'code=503' };
  await gateway(mock, { path, headers });
  expect(received?.url).toBe('/base/a%2Fb');
  expect(received?.headersDistinct['x-a']).toEqual(['1', '2']);
  expect(received?.headers).toMatchObject({
    host: new URL(real.url).host,
    prefer: 'code=503',
    'x-forwarded-host': new URL(mock.url).host,
  });
  expect(received?.headers).not.toHaveProperty('x-mock-session');
});

test('a client that disconnects aborts the call', async () => {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  respond = (_, response) => {
    response.flushHeaders();
    resolve(response);
  };
  const stop = new AbortController();
  await fetch(`${url}/real/news`, { headers: BEARER, signal: stop.signal });
  const closed = once(await promise, 'close');
  stop.abort();
  await closed;
});

test.each(['rest', ''])('forwards a response to part of a body, then %j', async (rest) => {
  respond = (_, response) => response.writeHead(413, { connection: 'close' }).end();
  expect(await postInParts(mock, '/v1/cloudrun/real', rest)).toMatch('HTTP/1.1 413');
});

test('a service may respond before it reads a large body, and its connection closes', async () => {
  const closed = Promise.withResolvers<void>();
  respond = ({ socket }, response) => {
    socket.once('close', () => closed.resolve());
    response.end('early');
  };
  const post = { method: 'POST', path: '/v1/cloudrun/real', body: 'x'.repeat(5_000_000) };
  expect(await gateway(mock, post)).toMatchObject({ status: 200, text: 'early' });
  await closed.promise;
});

test('a handler may return a fetched response, which is no longer compressed', async () => {
  respond = (_, response) => {
    const body = gzipSync('Hello. '.repeat(100));
    const headers = { 'content-encoding': 'gzip', 'content-length': body.length };
    response.writeHead(200, headers).end(body);
  };
  const response = await fetch(`${url}/fetched`, { headers: BEARER });
  expect(await response.text()).toBe('Hello. '.repeat(100));
});

test('a WebSocket closes when the service loses its connection', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/chat/a`, { headers: BEARER });
  await once(socket, 'open');
  socket.send('text');
  expect((await once(socket, 'close'))[0]).toBe(1_006);
});

test.each([
  ['gone/a', 'SERVICE_LB_STATUS_ABNORMAL', 'http://127.0.0.1:1 cannot be reached: ECONNREFUSED.'],
  ['chat/h2c', 'BAD_GATEWAY', 'an upgrade to h2c that was not requested'],
])('a WebSocket to %s is rejected with %s', async (path, code, reason) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/${path}`, { headers: BEARER });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const { code: actual, message } = JSON.parse(String(await buffer(response)));
  expect([response.statusCode, actual]).toEqual([502, code]);
  expect(message).toContain(reason);
});
