import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { expect, it } from 'vitest';
import { createToServiceHeaders } from '../../src/gateway/gateway.ts';
import { toRequestUrl } from '../../src/http/http.ts';
import { startRawService, startService } from '../server/support/hosted-service.ts';
import { serving, startInFront, startServer } from '../server/support/start-server.ts';
import { open, sendRaw } from '../support/send-raw.ts';

/** A server in front of a service that records its requests. */
async function startRecorder(change = {}) {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const origin = await startService(async (request, response) => {
    seen.push({ request, body: String(await buffer(request)) });
    response.end('ok');
  });
  return { seen, host: new URL(origin).host, ...(await startServer(change, serving(origin))) };
}

const FORWARDED = {
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'proxy.example',
};

it("forwards the caller's address, but no secrets", async () => {
  const { seen, send, host } = await startRecorder();
  const { headers } = await send({
    method: 'POST',
    body: 'hello',
    headers: {
      ...FORWARDED,
      host: 'dev.example:81',
      'x-forwarded-port': '1',
      'x-real-ip': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      connection: 'close, x-hop, content-length',
      'content-length': '5',
      'x-hop': '1',
      te: 'trailers',
      'x-request-id': 'mine',
      cookie: 'a=b',
      'X-Svc-Authorization': 'secret',
      'X-Svc-SessionToken': 'secret',
      'X-Svc-TimeStamp': 'secret',
      'X-Svc-Other': 'kept',
      // It belongs to a handshake (D14).
      'sec-websocket-protocol': 'chat, berth.bearer.secret',
      // Other spellings.
      X_Forwarded_For: '10.0.0.1',
      'X-Forwarded_Proto': 'https',
      X_Real_IP: '10.0.0.1',
      X_Request_Id: 'mine',
      'x_request-id': 'mine',
      Proxy_Authorization: 'secret',
      // A service would find the end of the body elsewhere.
      Transfer_Encoding: 'chunked',
      Content_Length: '1',
      x_mine: 'kept',
    },
  });
  expect(seen[0]?.body).toBe('hello');
  expect(seen[0]?.request.headers).toEqual({
    host,
    connection: 'keep-alive',
    'content-length': '5',
    cookie: 'a=b',
    'x-svc-other': 'kept',
    x_mine: 'kept',
    'x-request-id': headers['x-request-id'],
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'dev.example:81',
  });
});

it('forwards no credentials of the storage API under other names', async () => {
  const storageHeaders = { authorization: 'X_Own_Authorization' };
  const { seen, send } = await startRecorder({ wireProfile: { storageHeaders } });
  await send({ headers: { 'X-Own_Authorization': 'secret' } });
  expect(JSON.stringify(seen[0]?.request.rawHeaders)).not.toContain('secret');
});

it('continues X-Forwarded-* of a trusted proxy', async () => {
  const { seen, send } = await startRecorder({ listen: { trustProxy: true } });
  await send({ headers: FORWARDED });
  expect(seen[0]?.request.headers).toMatchObject({
    ...FORWARDED,
    'x-forwarded-for': '10.0.0.1, 127.0.0.1',
  });
  await send({ headers: { 'X-Forwarded-For': '' } });
  expect(seen[1]?.request.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' });
});

it('writes the IPv4 addresses of an IPv6 socket as such', () => {
  const [localAddress, remoteAddress] = ['::ffff:192.0.2.1', '::ffff:192.0.2.2'];
  const socket = { localAddress, localPort: 1, remoteAddress };
  const headers = { host: 'a.example' };
  const request = { headers, rawHeaders: [] as string[], socket } as unknown as IncomingMessage;
  expect(toRequestUrl(request)).toBe('http://192.0.2.1:1');
  const toServiceHeaders = createToServiceHeaders(defaultWireProfile, false);
  expect(toServiceHeaders(request, 'an-id', null)).toContain('192.0.2.2');
});

it('sends 100 Continue only after authentication, and no expectation to the service', async () => {
  const { seen, port, toGet } = await startRecorder();
  const call = toGet('Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n');
  const head = call.replace('GET', 'POST');
  expect(await sendRaw(port, head.replace('Bearer', 'Basic'))).toMatch(/^HTTP\/1\.1 401/);
  expect(await sendRaw(port, head, '{}')).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200/);
  expect(await sendRaw(port, head.replace('100-continue', 'miracles'), '{}')).toMatch(/^\S+ 200/);
  expect(seen.map(({ request }) => request.headers.expect)).toEqual([undefined, undefined]);
});

it('forwards headers of both sides byte for byte', async () => {
  const headers = 'X-Name: caf\xe9\r\nX-Twice: a\r\nX-Twice: b\r\n__proto__: a\r\n__proto__: b\r\n';
  let seen = '';
  const origin = await startRawService((socket) => {
    socket.once('data', (chunk) => {
      seen = chunk.toString('latin1');
      socket.end(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 0\r\n\r\n`, 'latin1');
    });
  });
  const { port, toGet } = await startServer({}, serving(origin));
  const text = await sendRaw(port, toGet(`${headers}Connection: close\r\n`));
  expect(seen).toContain(headers);
  expect(text.toLowerCase()).toContain(headers.toLowerCase());
});

it.each([
  [16_000, 'ok'],
  [16_500, 'BAD_GATEWAY'],
])("forwards response headers of a service up to Node's limit: %i bytes", async (bytes, text) => {
  const head = `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(bytes)}\r\nContent-Length: 2\r\n\r\nok`;
  const origin = await startRawService((socket) => {
    socket.on('data', () => socket.write(head));
  });
  const { port, toGet } = await startServer({}, serving(origin));
  expect(await sendRaw(port, toGet('Connection: close\r\n'))).toContain(text);
});

it('reads no more of a service than its caller reads', async () => {
  let service: Socket | undefined;
  const origin = await startRawService((socket) => {
    service = socket;
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  const { port, toGet, metric } = await startServer({}, serving(origin));
  const socket = (await open(port)).pause();
  socket.write(toGet());
  await expect.poll(() => service?.bytesWritten).toBeGreaterThan(0);
  const chunk = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent < 64; sent += 1) service?.write(chunk);
  // What fits into the buffers of the kernel is taken, and the rest is not.
  let before: number | undefined;
  while (before !== service?.writableLength) {
    before = service?.writableLength;
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  }
  expect(before).toBeGreaterThan(16 * chunk.length);
  socket.destroy();
  await expect.poll(() => metric('berth_service_calls_active')).toBe(0);
});

it('disconnects from the service when a body exceeds the limit (D13)', async () => {
  const closed: Promise<unknown>[] = [];
  const limits = { gatewayBodyBytes: 1000 };
  const { send } = await startInFront(
    (incoming) => {
      // The service also sees an error, since the body ends early: `once` would reject.
      closed.push(new Promise((resolve) => incoming.socket.once('close', resolve)));
      incoming.on('error', () => {}).resume();
    },
    { limits },
  );
  async function* pieces() {
    yield 'x'.repeat(900);
    yield 'x'.repeat(900);
  }
  expect(await send({ method: 'POST', body: pieces() })).toMatchObject({ status: 413 });
  await Promise.all(closed);
});

const PIECES = 128;
const PIECE = 'x'.repeat(65_536);

const ANNOUNCED = `Content-Length: ${PIECES * PIECE.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

it.each([
  ['an announced length', ANNOUNCED, PIECE, '', 'no'],
  ['chunks', CHUNKED, `10000\r\n${PIECE}\r\n`, '0\r\n\r\n', 'n'.repeat(300_000)],
])('delivers an early response to a caller that still sends %s', async (_, ...texts) => {
  const [length, piece, end, reply] = texts;
  const { port, toGet } = await startInFront(
    (_request, response) => {
      response.writeHead(403, { 'content-length': reply.length }).end(reply);
    },
    { listen: { keepAliveSeconds: 0.1 } },
  );
  const socket = await open(port);
  socket.write(toGet(`${length}\r\n`).replace('GET', 'POST'));
  // All of it before anything is read, as a simple client does.
  for (let sent = 0; sent < PIECES && !socket.destroyed; sent += 1) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  socket.write(end);
  const text = (await socket.toArray()).join('');
  expect(text).toMatch(/^HTTP\/1\.1 403 /);
  expect(text.endsWith(`\r\n\r\n${reply}`)).toBe(true);
});

it('does not end a silent stream when the time for headers is over', async () => {
  let stream: ServerResponse | undefined;
  const origin = await startService((request, response) => {
    if (request.url !== '/') return;
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.flushHeaders();
  });
  const hello = { endpoints: [origin], headersSeconds: 0.1 };
  const { begin, send } = await startServer({}, { services: { hello } });
  const events = await begin();
  // This call begins later, and takes as long as the service may take until its headers.
  const silent = await send({}, '/v1/cloudrun/hello/silent');
  expect(silent).toMatchObject({ code: 'SERVICE_TIMEOUT' });
  stream?.end('data: 1\n\n');
  expect(await text(events)).toBe('data: 1\n\n');
});

it('does not count the time of a body against a service that sends interim responses', async () => {
  const received = Promise.withResolvers<void>();
  const { port, toGet } = await startInFront(
    (request, response) => {
      if (request.method === 'GET') return;
      request.once('data', () => received.resolve());
      request.once('end', () => {
        response.writeProcessing();
        response.end('ok');
      });
    },
    { limits: { gatewayHeadersSeconds: 1 } },
  );
  const socket = await open(port);
  socket.write(toGet('Content-Length: 2\r\nConnection: close\r\n').replace('GET', 'POST'));
  socket.write('a');
  await received.promise;
  // This call begins later, and takes as long as the service may take until its headers.
  expect(await sendRaw(port, toGet('Connection: close\r\n'))).toContain('SERVICE_TIMEOUT');
  socket.write('b');
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 /);
});
