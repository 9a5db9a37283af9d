import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { listen } from '../../../../scripts/testing/listen.ts';
import { createMock } from '../../src/index.ts';
import { BEARER, call } from '../helpers/calls.ts';

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

const webSockets = new WebSocketServer({
  noServer: true,
  handleProtocols: (offered) => [...offered].at(-1) ?? false,
});

/** Sends each message back, loses the connection at the text `!cut`, and changes to no WebSocket at `/h2c`. */
function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void {
  connection.on('error', () => {});
  if (request.url === '/h2c') {
    connection.write('HTTP/1.1 101 To\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    return;
  }
  webSockets.handleUpgrade(request, connection, head, (socket) => {
    socket.on('message', (data, isBinary) => {
      if (String(data) === '!cut') socket.terminate();
      else socket.send(data, { binary: isBinary });
    });
  });
}

const url = `${mock.url}/v1/cloudrun`;

test('path, query, repeated headers and bytes pass as they are', async () => {
  const bytes = 'ü\0\r';
  let received: IncomingMessage | undefined;
  respond = async (request, response) => {
    received = request;
    const body = await buffer(request);
    const lines = 'Set-Cookie|a=1|X-Hop|gone|Set-Cookie|b=2|X-A|1|X-A|2'.split('|');
    response.writeHead(207, [...lines, 'Connection', 'X-Hop']).end(body);
  };
  const reply = await call(mock, {
    method: 'POST',
    path: '/v1/cloudrun/real/a%2Fb//c?x=1&x=%20&y',
    headers: { ...BEARER, 'x-a': ['1', '2'], te: 'trailers', 'x-mock-session': 'a' },
    body: bytes,
  });
  expect(received?.url).toBe('/base/a%2Fb//c?x=1&x=%20&y');
  expect(received?.headersDistinct['x-a']).toEqual(['1', '2']);
  expect(received?.headers).toMatchObject({
    host: new URL(real.url).host,
    'x-forwarded-host': new URL(mock.url).host,
    'content-length': '4',
  });
  for (const name of ['authorization', 'te', 'x-mock-session']) {
    expect(received?.headers).not.toHaveProperty(name);
  }
  expect(reply.status).toBe(207);
  expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(reply.headers['x-a']).toBe('1, 2');
  expect(reply.headers).not.toHaveProperty('x-hop');
  expect(reply.headers['x-svc-upstream-status-code']).toBe('207');
  expect(reply.text).toBe(bytes);
});

test('an event arrives before the next one is written, and a lost caller ends the call', async () => {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  respond = (request, response) => {
    expect(request.headers['last-event-id']).toBe('7');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 8\n\n');
    resolve(response);
  };
  const stop = new AbortController();
  const headers = { ...BEARER, accept: 'text/event-stream', 'last-event-id': '7' };
  const response = await fetch(`${url}/real/news`, { headers, signal: stop.signal });
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await read()).toBe('id: 8\n\n');
  const upstream = await promise;
  upstream.write(':\r\ndata: ü\r\n\r\n');
  expect(await read()).toBe(':\r\ndata: ü\r\n\r\n');
  const closed = once(upstream, 'close');
  stop.abort();
  await closed;
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

test('a WebSocket passes text, bytes, its subprotocol and its close', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/chat/a`, ['one', 'two'], {
    headers: BEARER,
  });
  await once(socket, 'open');
  expect(socket.protocol).toBe('two');
  for (const message of ['text', Buffer.from([0, 255])]) {
    socket.send(message);
    const [data, isBinary] = await once(socket, 'message');
    expect([isBinary ? data : String(data)]).toEqual([message]);
  }
  socket.send('!cut');
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
