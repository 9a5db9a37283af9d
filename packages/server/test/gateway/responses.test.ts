import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import {
  BEARER,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

const toRequest = (target = HELLO, method = 'GET', headers = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n${headers}Connection: close\r\n\r\n`;

/** Returns the response to a call of a service that writes these bytes, and ends. */
async function respond(bytes: string, method = 'GET', headers = '') {
  const { origin } = await startRawService((socket) => {
    socket.once('data', () => socket.end(bytes, 'latin1'));
  });
  const { port } = await startGateway(toService([origin]));
  const text = await sendRaw(port, toRequest(HELLO, method, headers));
  const [head = '', ...body] = text.split('\r\n\r\n');
  return { head, status: Number(head.slice(9, 12)), body: body.join('\r\n\r\n') };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

it.each([
  ['an early hint', `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${OK}`, 200],
  ['an interim response', `HTTP/1.1 102 Processing\r\n\r\n${OK}`, 200],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', 200],
  ['an unknown status', OK.replace('200 OK', '299 Fine'), 299],
  ['no reason', OK.replace('200 OK', '200 '), 200],
  ['a long header', OK.replace('\r\n', `\r\nX-Long: ${'a'.repeat(12_000)}\r\n`), 200],
  [
    'trailers',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n',
    200,
  ],
])('forwards a response with %s', async (_what, bytes, status) => {
  for (const [method, headers] of [['GET'], ['POST', 'Content-Length: 0\r\n']] as const) {
    const response = await respond(bytes, method, headers);
    expect(response).toMatchObject({ status });
    expect(response.body).toMatch(/^(?:2\r\n)?ok(?:\r\n0\r\n\r\n)?$/);
    expect(response.head).not.toMatch(/x-sum|trailer/i);
  }
});

it.each([
  ['HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', 204],
  ['HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 204],
  ['HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204],
  ['HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n', 205],
  ['HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 1234\r\n\r\n', 304],
])('sends no body for %j', async (bytes, status) => {
  const response = await respond(bytes);
  expect(response).toMatchObject({ status, body: '' });
  if (status === 204) expect(response.head).not.toMatch(/content-length|transfer-encoding/i);
});

it('counts a 100 Continue that nobody asked for as broken', async () => {
  expect(await respond(`HTTP/1.1 100 Continue\r\n\r\n${OK}`)).toMatchObject({ status: 502 });
});

it('forwards bytes beyond ASCII, repeated headers and redirects as they are', async () => {
  const headers =
    'X-Name: caf\xe9\r\nX-Twice: a\r\nX-Twice: b\r\nLocation: http://127.0.0.1:1/\r\n__proto__: a\r\n__proto__: b\r\n';
  const { head } = await respond(`HTTP/1.1 302 Found\r\n${headers}Content-Length: 0\r\n\r\n`);
  expect(head).toMatch(/^HTTP\/1\.1 302 /);
  expect(head).toMatch(
    /x-name: caf\xe9\r\nx-twice: a\r\nx-twice: b\r\nlocation: http:.*\r\n__proto__: a\r\n__proto__: b\r\n/i,
  );
});

it('sends path, query and headers byte for byte', async () => {
  let seen = '';
  const { origin } = await startRawService((socket) => {
    socket.once('data', (chunk) => {
      seen = chunk.toString('latin1');
      socket.end(OK);
    });
  });
  const { port } = await startGateway(toService([origin]));
  const target = '//a%2Fb/%E4%B8%AD;x=1/?q=%20+&&=';
  const headers = 'X-Name: caf\xe9\r\nX-Twice: a\r\nX-TWICE: b\r\n';
  expect(await sendRaw(port, toRequest(`${HELLO}/${target}`, 'GET', headers))).toMatch(/ok$/);
  expect(seen).toMatch(/^GET \/\/\/a%2Fb\/%E4%B8%AD;x=1\/\?q=%20\+&&= HTTP/);
  expect(seen).toContain('X-Name: caf\xe9\r\nX-Twice: a\r\nX-TWICE: b\r\n');
});

it('forwards each event at once, and does not end a silent stream', async () => {
  let stream: ServerResponse | undefined;
  const { origin } = await startService((request, response) => {
    if (request.url !== '/') return;
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.flushHeaders();
  });
  const { base, port } = await startGateway(toService([origin]), { headersSeconds: 0.05 });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(toRequest());
  expect(String((await once(socket, 'data'))[0])).toContain('text/event-stream');
  // This call begins later, and takes as long as the service may take until its headers.
  expect(await send(base, `${HELLO}/silent`)).toMatchObject({ code: 'SERVICE_TIMEOUT' });
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    stream?.write(event);
    expect(String((await once(socket, 'data'))[0])).toContain(event);
  }
});

it('reads no more of a service than its caller reads', async () => {
  let service: Socket | undefined;
  const { origin } = await startRawService((socket) => {
    service = socket;
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  const { port, gateway } = await startGateway(toService([origin]));
  const socket = connect(port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.write(toRequest());
  await expect.poll(() => service?.bytesWritten).toBeGreaterThan(0);
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  while (service?.write(chunk) && sent < 100) sent += 1;
  for (; sent < 64; sent += 1) service?.write(chunk);
  // What fits into the buffers of the kernel is taken, and the rest is not.
  let before: number | undefined;
  while (before !== service?.writableLength) {
    before = service?.writableLength;
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  }
  expect(before).toBeGreaterThan(16 * chunk.length);
  socket.destroy();
  await expect.poll(() => gateway.stats().activeCalls).toBe(0);
});
