import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function send(url: string, bytes: string): Promise<string> {
  const socket = await open(url);
  socket.write(bytes);
  return (await buffer(socket)).toString();
}

function refusalOf(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { requestId, ...rest } = JSON.parse(body);
  expect(head).toMatch(new RegExp(`^x-request-id: ${requestId}`, 'm'));
  expect(requestId).toMatch(new RegExp(`^${UUID}$`));
  expect(head).toMatch(/^connection: close/m);
  return { status: Number(head.split(' ')[1]), ...rest };
}

test.each([
  ['what is no HTTP', 'hello\r\n\r\n', 400],
  [
    'two lengths',
    'POST /v1/cloudrun/hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ],
  [
    'a length beside chunks',
    'POST /v1/cloudrun/hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
  ['a head that is too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('%s is refused in the shape of the contract', async (_, bytes, status) => {
  const { url } = await startServer();
  expect(refusalOf(await send(url, bytes))).toMatchObject({ status, code: 'INVALID_REQUEST' });
});

test('headers that do not come cost the connection (slow-loris)', async () => {
  const { url } = await startServer({ listen: { port: 0, headersSeconds: 0.5 } });
  expect(refusalOf(await send(url, 'GET / HTTP/1.1\r\nHost: a\r\n'))).toMatchObject({
    status: 408,
  });
});

const UPLOAD = 'POST /v1/cloudrun/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n';

/** A hosted service that takes a whole body. */
function taker() {
  return startService(async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    response.end(String(body.length));
  });
}

test('a body that hardly comes costs the connection', async () => {
  const origin = await taker();
  const { url, token } = await startServer(
    { listen: { port: 0, slowBodySeconds: 0.4, slowBodyBytes: 1000 } },
    { services: { hello: { endpoints: [origin] } } },
  );
  const answer = await send(url, `${UPLOAD}Authorization: Bearer ${token}\r\n\r\nx`);
  expect(refusalOf(answer)).toMatchObject({
    status: 408,
    message: expect.stringContaining('too slowly'),
  });
});

test('a body that comes steadily may take longer than any limit', async () => {
  const origin = await taker();
  const { url, token } = await startServer(
    { listen: { port: 0, slowBodySeconds: 1, slowBodyBytes: 1000, headersSeconds: 1 } },
    { services: { hello: { endpoints: [origin] } } },
  );
  const socket = await open(url);
  const answer = buffer(socket);
  socket.write(`${UPLOAD}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
  const started = performance.now();
  let left = 1_000_000;
  const timer = setInterval(() => {
    const size = Math.min(left, performance.now() - started > 2_500 ? left : 5_000);
    left -= size;
    socket.write('x'.repeat(size));
    if (left === 0) clearInterval(timer);
  }, 20);
  expect((await answer).toString()).toMatch(/^HTTP\/1.1 200 [\s\S]*1000000/);
});

test('connections beyond the limit are closed', async () => {
  const { url } = await startServer({ listen: { port: 0, maxConnections: 1 } });
  await open(url);
  const second = await open(url);
  await once(second.resume(), 'close');
});

test('a call that Node cannot read after an answer has begun only ends the connection', async () => {
  const origin = await startService((_, response) => void response.write('begun'));
  const { url, token } = await startServer({}, { services: { hello: { endpoints: [origin] } } });
  const socket = await open(url);
  socket.write(
    `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  socket.write('garbage\r\n\r\n');
  const rest = (await buffer(socket).catch(() => Buffer.alloc(0))).toString();
  expect(rest).not.toContain('INVALID_REQUEST');
});
