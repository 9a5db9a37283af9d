import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startDeployment } from '../attacks/support/start-deployment.ts';
import { createIssuer } from '../auth/support/deployment.ts';
import { HANDSHAKE, open, sendRaw } from '../support/send-raw.ts';
import { startRawService, startService } from './support/hosted-service.ts';
import { makeCertificate } from './support/make-certificate.ts';
import { serving, startInFront, startServer } from './support/start-server.ts';

const LONG = 'x'.repeat(20_000);

function refusalOf(response: string) {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  const { requestId, ...rest } = JSON.parse(body);
  expect(head).toMatch(new RegExp(`^x-request-id: ${requestId}`, 'm'));
  expect(requestId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(head).toMatch(/^connection: close/m);
  const origin = /^access-control-allow-origin: (.*)$/m.exec(head)?.[1];
  return { status: Number(head.split(' ')[1]), origin, ...rest };
}

test.each([
  ['invalid HTTP', 'hello\r\n\r\n', 400, 'INVALID_REQUEST'],
  ['a head that is too large', `GET / HTTP/1.1\r\nX: ${LONG}\r\n\r\n`, 431, 'INVALID_REQUEST'],
  ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400, 'INVALID_HOST'],
  // A proxy in front may choose the other one.
  ['a request with two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400, 'INVALID_HOST'],
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
])('%s is refused in the error format of the contract', async (_, bytes, status, code) => {
  const { url, lines, metrics } = await startServer({ log: { calls: true } });
  const response = await sendRaw(url, bytes);
  const refusal = refusalOf(response);
  expect(refusal).toMatchObject({ status, code, origin: '*' });
  const requestId = /^x-request-id: (.*)\r$/m.exec(response)?.[1];
  const logged = { msg: 'call', status, code, requestId, reason: refusal.message };
  await expect.poll(() => lines).toContainEqual(expect.objectContaining(logged));
  const labels = `surface="gateway",operation="",status="4xx",code="${code}",env="other"`;
  expect(await metrics()).toContain(`\nberth_calls_total{${labels},service="other"} 1\n`);
  if (status === 405) expect(response).toMatch(/^allow: GET, HEAD, POST, OPTIONS\r$/m);
});

test('refuses a HEAD without a body, but not what follows it', async () => {
  const { url } = await startServer();
  const refused = await sendRaw(url, 'HEAD /v1/cloudrun/hello HTTP/1.1\r\n\r\n');
  expect(refused).toMatch(/^HTTP\/1.1 400 .*\r\ncontent-length: \d+\r\n.*\r\n\r\n$/s);
  const socket = await open(url);
  socket.write('HEAD /files/a HTTP/1.1\r\nHost: a\r\n\r\n');
  const [head] = await once(socket, 'data');
  expect(String(head)).toMatch(/^HTTP\/1.1 4.*\r\n\r\n$/s);
  socket.write('garbage\r\n\r\n');
  expect(refusalOf(String(await buffer(socket)))).toMatchObject({ status: 400 });
});

test('closes a connection that sends half of its headers (slow-loris)', async () => {
  const settings = { listen: { headersSeconds: 0.05 }, log: { calls: true } };
  const { url, lines } = await startServer(settings);
  const response = await sendRaw(url, 'GET / HTTP/1.1\r\nHost: a\r\n');
  expect(refusalOf(response)).toMatchObject({ status: 408 });
  expect(lines.filter(({ status }) => status === 408)).toHaveLength(1);
});

test('closes a connection that sends nothing, without a response or a call', async () => {
  const settings = { listen: { headersSeconds: 0.05 }, log: { calls: true } };
  const { url, lines } = await startServer(settings);
  expect(await sendRaw(url, '')).toBe('');
  expect(lines.filter(({ status }) => status === 408)).toEqual([]);
});

test('refuses nothing that arrived while this process was busy', async () => {
  const origin = await startService((request, response) => {
    request.resume().once('end', () => response.end());
  });
  const listen = { headersSeconds: 4, stalledSeconds: 4 };
  const { port, token, metric } = await startServer({ listen }, serving(origin));
  const prepareBlock = async (ms: number) => {
    // What callers have done so far is noticed before, and the timers that are due run next.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    return () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  };
  const head = `POST /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nConnection: close\r\nContent-Length: 9000\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const slow = await open(port);
  slow.write(`${head}x`);
  await expect.poll(() => metric('berth_service_calls_active')).toBe(1);
  slow.write('x'.repeat(2000));
  // The body is measured for the first time.
  (await prepareBlock(1_100))();
  const unused = await open(port);
  const block = await prepareBlock(5_000);
  slow.write('x'.repeat(6999));
  unused.write(`${head}${'x'.repeat(9000)}`);
  block();
  for (const socket of [slow, unused]) {
    expect(String(await buffer(socket))).toMatch(/^HTTP\/1.1 200 /);
  }
});

/** Unlike `once`, also if the connection is reset. */
const untilClosed = (socket: Socket) =>
  new Promise((resolve) => socket.resume().once('close', resolve));

const UPLOAD = 'POST /v1/cloudrun/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n';

test('closes a connection whose body hardly arrives', async () => {
  let requestId: unknown;
  const { url, token, lines, metrics } = await startInFront(
    async (request, response) => {
      requestId ??= request.headers['x-request-id'];
      const body = await buffer(request).catch(() => Buffer.alloc(0));
      response.end(String(body.length));
    },
    { listen: { stalledSeconds: 0.1 }, log: { calls: true } },
  );
  const response = await sendRaw(url, `${UPLOAD}Authorization: Bearer ${token}\r\n\r\nx`);
  const message = 'The request body arrived too slowly.';
  expect(refusalOf(response)).toMatchObject({ status: 408, message });
  // The service got the same ID.
  expect(response).toContain(`\r\nx-request-id: ${requestId}\r\n`);
  const logged = { status: 408, code: 'INVALID_REQUEST', caller: 'me', requestId };
  await expect.poll(() => lines.find(({ msg }) => msg === 'call')).toMatchObject(logged);
  expect(await metrics()).toMatch(
    /^berth_calls_total\{.*status="4xx",code="INVALID_REQUEST",env="dev",service="hello"\} 1$/m,
  );
  // A byte now and then does not help.
  const socket = await open(url);
  socket.write(`${UPLOAD}Authorization: Bearer ${token}\r\n\r\n`);
  const drip = setInterval(() => socket.writable && socket.write('x'), 10);
  await untilClosed(socket);
  clearInterval(drip);
});

test('refuses a slow body in the format of its API', async () => {
  const { dev, port } = await startDeployment({ listen: { stalledSeconds: 0.1 } });
  const headers = Object.entries({ Host: 'a', ...dev.sign(), 'Content-Length': '9' });
  const head = headers.map((field) => `${field.join(': ')}\r\n`).join('');
  const post = (target: string, type: string) =>
    sendRaw(port, `POST ${target} HTTP/1.1\r\n${head}Content-Type: ${type}\r\n\r\n{`);
  const envelope = /\ncontent-type: application\/json\r.*"statusCode":408,"body":\{"requestId"/s;
  expect(await post('/api/v2/envs/dev/storages:batchDelete', 'application/json')).toMatch(envelope);
  const xml = /\ncontent-type: application\/xml\r.*<Code>MalformedPOSTRequest<.*<Resource>\/</s;
  expect(await post('/upload', 'multipart/form-data; boundary=a')).toMatch(xml);
});

/** Stops the clock of the slow-body check, and moves it by seconds. */
const stallClock = {
  start() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  },
  async advance(seconds: number) {
    for (let quarter = 0; quarter < seconds * 4; quarter += 1) {
      vi.advanceTimersByTime(250);
      // Each check comes after what has arrived.
      await setImmediate();
      await setImmediate();
    }
  },
};

test('keeps a connection whose body the service does not read', async () => {
  stallClock.start();
  const { promise: waited, resolve: read } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const { call } = await startInFront(
    async (request, response) => {
      started.resolve();
      await waited;
      response.end(String((await buffer(request)).length));
    },
    { listen: { stalledSeconds: 1 } },
  );
  const bytes = 16 * 1024 * 1024;
  const sent = call('', { method: 'POST', body: Buffer.alloc(bytes) });
  await started.promise;
  // Long enough for all buffers to fill up.
  await stallClock.advance(100);
  read();
  expect(await (await sent).text()).toBe(String(bytes));
});

test('gives a caller time after a body was not read', async () => {
  stallClock.start();
  const key = Promise.withResolvers<void>();
  const keysRequested = Promise.withResolvers<void>();
  const bodyArrived = Promise.withResolvers<void>();
  const issuer = await createIssuer('ES256', 'one');
  const jwks = await startService(async (_request, response) => {
    keysRequested.resolve();
    await key.promise;
    response.end(JSON.stringify({ keys: [issuer.publicKey] }));
  });
  const origin = await startService((request, response) => {
    request.once('data', bodyArrived.resolve).once('end', () => response.end());
  });
  const listen = { stalledSeconds: 1 };
  const environment = { tokens: { jwks }, ...serving(origin) };
  const { port } = await startServer({ listen }, environment);
  const token = await issuer.token({ exp: Date.now() / 1000 + 60 });
  const socket = await open(port);
  socket.write(
    `${UPLOAD.replace('1000000', '2')}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\nx`,
  );
  await keysRequested.promise;
  // Until there are keys, the body is not read.
  await stallClock.advance(1);
  key.resolve();
  await bodyArrived.promise;
  await stallClock.advance(0.25);
  socket.write('y');
  expect(String(await buffer(socket))).toMatch(/^HTTP\/1.1 200 /);
});

test.each([
  ['goes on', `10000\r\n${'x'.repeat(65_536)}\r\n`],
  // Short writes would fill the buffers of the system one system call at a time.
  ['becomes invalid', 'zz\r\n'.repeat(16_384)],
])('sends no second response to a request whose body %s after the first', async (_, chunk) => {
  const { url } = await startServer({ listen: { stalledSeconds: 0.1 } });
  const socket = await open(url);
  const write = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('error', () => {}).on('drain', write);
  socket.write('POST /files/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await once(socket, 'data');
  write();
  // Ends when the connection is closed.
  const text = (await buffer(socket).catch(() => Buffer.alloc(0))).toString();
  expect(text).not.toContain('INVALID_REQUEST');
});

test('disconnects callers that read nothing, but no idle stream', async () => {
  const closed: Promise<unknown>[] = [];
  // Its responses never end, as fast as they are read.
  const endless = await startService((_, response) => {
    const write = () => {
      while (response.write(Buffer.alloc(65_536)));
    };
    closed.push(once(response.on('drain', write), 'close'));
    write();
  });
  let send = (_event: string) => {};
  const silent = await startService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    send = (event) => void response.write(event);
  });
  const { url, token, toGet } = await startServer(
    { listen: { stalledSeconds: 0.2 } },
    { services: { hello: { endpoints: [endless] }, silent: { endpoints: [silent] } } },
  );
  const events = await fetch(`${url}/v1/cloudrun/silent`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const stalled = await Promise.all(Array.from({ length: 3 }, () => open(url)));
  for (const socket of stalled) socket.pause().write(toGet());
  await expect.poll(() => closed.length).toBe(3);
  await Promise.all(closed);
  send('data: still here\n\n');
  const { value } = (await events.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe('data: still here\n\n');
});

test.runIf(process.platform === 'linux')(
  'notices callers that vanish from idle streams',
  async () => {
    const { port } = await startServer();
    await open(port);
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    // The timer of an open connection: 02 sends keep-alive probes.
    const row = new RegExp(`^ *\\d+: \\w{8}:${hex} \\S+ 01 \\S+ (\\d\\d):`, 'm');
    const readTimer = async () => row.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1];
    await expect.poll(readTimer, { timeout: 20_000 }).toBe('02');
  },
);

test.each([
  ['sends nothing', ''],
  ['sends HTTP', 'GET / HTTP/1.1\r\n\r\n'],
])('a connection that %s instead of a TLS handshake is closed', async (_, text) => {
  const tls = await makeCertificate('first');
  const { url } = await startServer({ listen: { tls, headersSeconds: 0.1 } });
  const socket = await open(url);
  // As a client that reads nothing and never closes: `end` of the server would wait for it.
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  await untilClosed(socket);
});

test('ends WebSocket handshakes that are never finished, on both sides', async () => {
  // A service that accepts the connection, and is silent.
  const upstream = new Set<unknown>();
  const silent = await startRawService((socket) => {
    upstream.add(socket);
    socket.resume().once('close', () => upstream.delete(socket));
  });
  const { port, toGet, metric } = await startServer({}, serving(silent));
  const waiting = await Promise.all(Array.from({ length: 10 }, () => open(port)));
  for (const socket of waiting) socket.write(toGet(HANDSHAKE));
  await expect.poll(() => upstream.size).toBe(10);
  for (const socket of waiting) socket.resetAndDestroy();
  await expect.poll(() => upstream.size).toBe(0);
  await expect.poll(() => metric('berth_calls_active')).toBe(0);
  await expect.poll(() => metric('berth_connections')).toBe(0);
});

test('closes the half-open connection of a refused WebSocket', async () => {
  const { port, toGet, metric } = await startServer();
  const refused = await Promise.all(Array.from({ length: 10 }, () => open(port)));
  for (const socket of refused) {
    socket.allowHalfOpen = true;
    socket.write(toGet(HANDSHAKE));
    socket.resume();
  }
  await Promise.all(refused.map((socket) => once(socket, 'end')));
  await expect.poll(() => metric('berth_connections')).toBe(0);
});

test('several servers share a port with listen.reusePort, and none without', async (context) => {
  const first = await startServer({ listen: { reusePort: true } }).catch((error) => {
    // As Node reports it on Windows and macOS.
    if (error.code === 'ENOTSUP') context.skip('this platform cannot share a port');
    throw error;
  });
  const start = (reusePort: boolean) => startServer({ listen: { port: first.port, reusePort } });
  expect((await start(true)).port).toBe(first.port);
  await expect(start(false)).rejects.toThrow('EADDRINUSE');
});
