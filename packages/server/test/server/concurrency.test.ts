import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { signGatewayRequest } from '@berth/server-stubs/engine/node';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ConfigInput } from '../../src/index.ts';
import { post, StorageClient, toFields } from '../break-ins/support/storage-client.ts';
import { open, sendRaw } from '../support/send-raw.ts';
import { startServer } from './support/start-server.ts';

type Concurrency = ConfigInput['environments'][string]['concurrency'];

const PAIR = { id: 'ci', secret: 'the secret of ci' };

/** Starts a server with two callers: `me` with a token, and `ci` with a key pair. */
async function start(concurrency: Concurrency) {
  /** Calls that wait for their response, unless they ask for another. */
  const waiting: ServerResponse[] = [];
  const service = createServer((request: IncomingMessage, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://a');
    if (pathname === '/events') response.setHeader('content-type', 'text/event-stream');
    if (pathname === '/events') response.write('data: 1\n\n');
    if (pathname === '/quick') response.end('quick');
    else waiting.push(response);
  });
  const sockets = new WebSocketServer({ noServer: true });
  service.on('upgrade', (request, socket, head) => {
    if (request.url === '/refused')
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    else sockets.handleUpgrade(request, socket, head, () => {});
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    service.closeAllConnections();
    service.close();
  });
  const endpoints = [`http://127.0.0.1:${(service.address() as AddressInfo).port}`];
  const started = await startServer(
    { listen: { trustProxy: true } },
    { credentials: [PAIR], services: { hello: { endpoints } }, concurrency },
  );
  const { url, adminUrl, token } = started;
  const callAsKey = (path: string) => {
    const target = `/v1/cloudrun/hello${path}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = { host: new URL(url).host };
    const authorization = signGatewayRequest(PAIR, { method: 'GET', target, headers, timestamp });
    return fetch(url + target, { headers: { authorization } });
  };
  const socket = (path: string, authorization = `Bearer ${token}`) =>
    new WebSocket(`${url.replace('http', 'ws')}/v1/cloudrun/hello${path}`, {
      headers: { authorization },
    });
  const storage = new StorageClient(url, PAIR);
  const count = async () => {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    return Number(/^berth_concurrent_calls\{env="dev"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  return {
    ...started,
    port: Number(new URL(url).port),
    waiting,
    callAsKey,
    socket,
    storage,
    expectCount: (expected: number) => expect.poll(count).toBe(expected),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Opens a WebSocket, or returns the status of its refusal. */
async function statusOf(socket: WebSocket): Promise<number> {
  socket.on('error', () => {});
  const opened = once(socket, 'open').then(() => 101);
  const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode);
  return await Promise.race([opened, refused]);
}

/** Begins an upload, whose file does not end. */
async function beginUpload({ port, storage }: Started, path: string): Promise<Socket> {
  const fields = Object.entries(toFields(await storage.grant(path), path)).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
  const socket = await open(port);
  socket.write(
    `POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 99999\r\n\r\n${fields.join('')}${file}`,
  );
  return socket;
}

test('a caller cannot use up the calls of an environment, and calls that end make room', async () => {
  const server = await start({ calls: 3, perCaller: 2 });
  const { call, callAsKey, waiting, expectCount } = server;
  const abort = new AbortController();
  const aborted = call('/a', { signal: abort.signal }).catch(() => {});
  const events = await call('/events');
  await expectCount(2);
  const refused = await call('/quick');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({
    code: 'EXCEED_RATELIMIT',
    message: 'Too many calls in progress.',
  });

  const other = callAsKey('/b');
  await expectCount(3);
  expect((await callAsKey('/quick')).status).toBe(429);

  abort.abort();
  await aborted;
  await expectCount(2);
  expect((await call('/quick')).status).toBe(200);
  for (const response of waiting) response.end();
  await events.text();
  expect((await other).status).toBe(200);
  await expectCount(0);
});

test('by default, a caller has half of the calls', async () => {
  const { call, waiting, expectCount } = await start({ calls: 3 });
  const calls = [call('/a'), call('/b')];
  await expectCount(2);
  expect((await call('/quick')).status).toBe(429);
  for (const response of waiting) response.end();
  await Promise.all(calls);
  await expectCount(0);
});

test('WebSockets count until they are closed, and those that are not opened count no longer', async () => {
  const { socket, port, token, call, callAsKey, expectCount } = await start({ calls: 3 });
  const opened = [socket('/a'), socket('/b')];
  expect(await Promise.all(opened.map(statusOf))).toEqual([101, 101]);
  await expectCount(2);
  expect(await statusOf(socket('/c'))).toBe(429);
  expect((await call('/quick')).status).toBe(429);
  expect((await callAsKey('/quick')).status).toBe(200);
  opened[0]?.close();
  opened[1]?.terminate();
  await expectCount(0);

  expect(await statusOf(socket('/refused'))).toBe(403);
  expect(await statusOf(socket('/a', 'Bearer x.y.z'))).toBe(401);
  const head = (path: string, version: string) =>
    `GET /v1/cloudrun/${path} HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ${version}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  expect(await sendRaw(port, head('hello/a', '12'))).toContain('HTTP/1.1 400 ');
  expect(await sendRaw(port, head('other/a', '13'))).toContain('HTTP/1.1 404 ');
  for (let round = 0; round < 20; round += 1) {
    const client = await open(port);
    client.write(head('hello/a', '13'));
    if (round % 2 === 0) await once(client, 'readable');
    client.resetAndDestroy();
  }
  await expectCount(0);
});

test('uploads count for the caller who requested the grant', async () => {
  const server = await start({ calls: 3, perCaller: 2 });
  const { storage, call, expectCount } = server;
  const meta = await storage.grant('c.txt');
  const sockets = [await beginUpload(server, 'a.txt'), await beginUpload(server, 'b.txt')];
  await expectCount(2);
  const refused = await post(meta, 'c.txt', 'c');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.text()).toContain('<Code>SlowDown</Code>');
  const { status, code } = await storage.call('batchDelete', { fileList: [] });
  expect([status, code]).toEqual([429, 'EXCEED_RATELIMIT']);
  expect((await call('/quick')).status).toBe(200);
  for (const socket of sockets) socket.resetAndDestroy();
  await expectCount(0);
  expect((await post(meta, 'c.txt', 'c')).status).toBe(204);
  expect((await post({ ...meta, token: 'x' }, 'c.txt', 'c')).status).toBe(403);
  await expectCount(0);
});

test('downloads count for an address', async () => {
  const { storage, port, expectCount } = await start({ calls: 3, perCaller: 1 });
  await storage.upload('big', new Uint8Array(32 * 1024 * 1024));
  const link = await storage.link('big');
  const { pathname, search } = new URL(link);
  const from = (address: string, method = 'HEAD') =>
    fetch(link, { method, headers: { 'x-forwarded-for': address } });
  const socket = await open(port);
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n`,
  );
  await once(socket, 'readable');
  await expectCount(1);
  expect((await from('192.0.2.2')).status).toBe(200);
  const refused = await from('192.0.2.1', 'GET');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.text()).toContain('<Code>SlowDown</Code>');
  expect((await fetch(link.replace('/dev/', '/qa/'))).status).toBe(403);
  socket.resetAndDestroy();
  await expectCount(0);
});

test('a reload changes the limits, and calls in progress end correctly', async () => {
  const { server, config, call, waiting, expectCount } = await start({ calls: 2 });
  const { dev } = config.environments as { dev: object };
  const first = call('/a');
  await expectCount(1);
  expect((await call('/quick')).status).toBe(429);
  await server.reload({ ...config, environments: { dev: { ...dev, concurrency: undefined } } });
  expect((await call('/quick')).status).toBe(200);
  await expectCount(1);
  await server.reload(config);
  expect((await call('/quick')).status).toBe(429);
  for (const response of waiting) response.end();
  await first;
  await expectCount(0);
});
