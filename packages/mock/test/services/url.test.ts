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
const real = await listen(createServer((request, response) => void respond(request, response)));
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

test('the URL must be one of HTTP without a query, in upper or lower case', async () => {
  const urls = ['ftp://h', new URL('ftp://h'), 'http://h/?key=a', '10.0.0.1:80/a', 'http://'];
  for (const bad of urls) {
    await expect(createMock({ services: { bad } })).rejects.toThrow(
      /^services: bad: .*URL such as http:\/\/127\.0\.0\.1:3000, without a query, got \S+/,
    );
  }
  await using loud = await createMock({ services: { loud: 'HTTP://127.0.0.1:1' } });
  const { json } = await gateway(loud, { path: '/v1/cloudrun/loud' });
  expect(json.code).toBe('SERVICE_LB_STATUS_ABNORMAL');
});

// The conformance suite checks on the mock what passes as it is.
test('the path is added to that of the URL, without what is for the mock', async () => {
  let received: IncomingMessage | undefined;
  respond = (request, response) => {
    received = request;
    response.end();
  };
  const path = '/v1/cloudrun/real/a%2Fb';
  await gateway(mock, {
    path,
    headers: { 'x-a': ['1', '2'], 'x-mock-session': 'a', prefer: 'code=503' },
  });
  expect(received?.url).toBe('/base/a%2Fb');
  expect(received?.headersDistinct['x-a']).toEqual(['1', '2']);
  expect(received?.headers).toMatchObject({
    host: new URL(real.url).host,
    prefer: 'code=503',
    'x-forwarded-host': new URL(mock.url).host,
  });
  expect(received?.headers).not.toHaveProperty('x-mock-session');
});

test('a lost caller ends the call', async () => {
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

test.each(['rest', ''])('a response before the end of the body, then %j', async (rest) => {
  respond = (_, response) => response.writeHead(413, { connection: 'close' }).end();
  expect(await postInParts(mock, '/v1/cloudrun/real', rest)).toMatch('HTTP/1.1 413');
});

test('a handler may return what it has fetched, which is no longer compressed', async () => {
  respond = (_, response) => {
    const body = gzipSync('Hello. '.repeat(100));
    const headers = { 'content-encoding': 'gzip', 'content-length': body.length };
    response.writeHead(200, headers).end(body);
  };
  const response = await fetch(`${url}/fetched`, { headers: BEARER });
  expect(await response.text()).toBe('Hello. '.repeat(100));
});

test('a service that cannot be reached is named by its address', async () => {
  const response = await fetch(`${url}/gone/a`, { headers: BEARER });
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({
    code: 'SERVICE_LB_STATUS_ABNORMAL',
    message: 'The real service http://127.0.0.1:1 cannot be reached: ECONNREFUSED.',
  });
});

test('a WebSocket ends with that of the service', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/chat/a`, { headers: BEARER });
  await once(socket, 'open');
  socket.send('text');
  expect((await once(socket, 'close'))[0]).toBe(1_006);
});

test.each([
  ['gone/a', 'SERVICE_LB_STATUS_ABNORMAL', 'ECONNREFUSED'],
  ['chat/h2c', 'BAD_GATEWAY', 'an upgrade to h2c that was not requested'],
])('a WebSocket of %s is refused with %s', async (path, code, reason) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/${path}`, { headers: BEARER });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const { code: actual, message } = JSON.parse(String(await buffer(response)));
  expect([response.statusCode, actual]).toEqual([502, code]);
  expect(message).toContain(reason);
});
