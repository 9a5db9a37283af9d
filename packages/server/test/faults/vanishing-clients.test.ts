import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Deployment, startDeployment } from '../attacks/support/start-deployment.ts';
import { toFields } from '../attacks/support/storage-client.ts';
import { startInFront } from '../server/support/start-server.ts';
import { HANDSHAKE, open } from '../support/send-raw.ts';

const MEBIBYTE = 1024 * 1024;

const warnings: Error[] = [];
const onWarning = (warning: Error) => void warnings.push(warning);
beforeAll(() => void process.on('warning', onWarning));
afterAll(() => void process.off('warning', onWarning));

/** Everything that a call may hold is released. */
async function expectNothingLeft(started: Deployment, files: number): Promise<void> {
  await expect.poll(() => started.metric('berth_calls_active')).toBe(0);
  await expect.poll(() => started.metric('berth_service_calls_active')).toBe(0);
  await expect.poll(async () => (await started.disk()).length).toBe(files + 1);
  // Only Linux lists the open files of a process, in /proc. The garbage collector closes forgotten ones, and warns.
  if (process.platform === 'linux') {
    const listOpen = async () => {
      const links = (await readdir('/proc/self/fd')).map((name) => `/proc/self/fd/${name}`);
      const files = await Promise.all(links.map((link) => readlink(link).catch(() => '')));
      return files.filter((file) => file.startsWith(started.root));
    };
    await expect.poll(listOpen).toEqual([]);
  }
  expect(warnings).toEqual([]);
  expect(started.lines.filter(({ level }) => level === 'error')).toEqual([]);
}

/** The beginning of a form up to the first bytes of its file. */
async function toUploadHead({ dev }: Deployment, path: string): Promise<string> {
  const parts = Object.entries(toFields(path, await dev.grant(path))).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  return `POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${100 * MEBIBYTE}\r\n\r\n${parts.join('')}${file}`;
}

test('uploads whose connection is reset halfway leave nothing', async () => {
  const started = await startDeployment();
  await started.dev.upload('a.txt', 'old');
  const sockets = await Promise.all(Array.from({ length: 5 }, () => open(started.port)));
  for (const socket of sockets)
    socket.write(`${await toUploadHead(started, 'a.txt')}${'x'.repeat(MEBIBYTE)}`);
  await expect.poll(async () => (await started.disk()).length).toBe(7);
  for (const socket of sockets) socket.resetAndDestroy();
  await expectNothingLeft(started, 1);
  expect(await started.dev.read('a.txt')).toBe('old');
});

test('what arrives after a form was rejected is freed at once', async () => {
  const started = await startDeployment();
  const sizes: number[] = [];
  const onFinish = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    response.once('close', () => request.on('data', ({ length }) => sizes.push(length)));
  };
  subscribe('http.server.response.finish', onFinish);
  onTestFinished(() => void unsubscribe('http.server.response.finish', onFinish));
  const socket = await open(started.port);
  const head = await toUploadHead(started, 'a.txt');
  socket.write(`${head.replace('"Signature"', '"another"')}${'x'.repeat(1024)}`);
  await once(socket, 'data');
  socket.on('error', () => {}).write('x'.repeat(20 * MEBIBYTE));
  await expect.poll(() => socket.closed).toBe(true);
  expect(sizes).toContain(0);
  expect(sizes.filter((size) => size >= 16 * 1024)).toEqual([]);
});

test('calls whose caller disconnects leave nothing, however they are signed', async () => {
  const started = await startDeployment();
  const now = Math.floor(Date.now() / 1000);
  const signed = `TC3-HMAC-SHA256 Credential=dev-id/${new Date(now * 1000).toISOString().slice(0, 10)}/svc/tc3_request, SignedHeaders=host, Signature=${'0'.repeat(64)}, Timestamp=${now}`;
  for (const authorization of [`Bearer ${started.token}`, signed]) {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open(started.port)));
    for (const socket of sockets) {
      socket.write(
        `POST /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: ${authorization}\r\nContent-Length: ${4 * MEBIBYTE}\r\n\r\n${'x'.repeat(2 * MEBIBYTE)}`,
      );
    }
    await expect.poll(() => started.metric('berth_calls_active')).toBe(5);
    for (const socket of sockets) socket.resetAndDestroy();
    await expectNothingLeft(started, 0);
  }
});

test('aborted downloads hold no file and no memory', async () => {
  const started = await startDeployment();
  await started.dev.upload('big', new Uint8Array(8 * MEBIBYTE));
  const { pathname, search } = new URL(await started.dev.link('big'));
  for (let round = 0; round < 5; round += 1) {
    const socket = await open(started.port);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'readable');
    socket.resetAndDestroy();
  }
  await expectNothingLeft(started, 1);
});

/** Matches the count of calls in the environment `dev` whose caller disconnected. */
const GONE = (surface: string, operation: string, service: string) =>
  new RegExp(
    `^berth_calls_total\\{surface="${surface}",operation="${operation}",status="disconnected",code="",env="dev",service="${service}"\\} 1$`,
    'm',
  );

test.each([
  ['call', ''],
  ['handshake', HANDSHAKE],
])('counts and logs a %s whose caller disconnects before the response', async (_, headers) => {
  let requestId: unknown;
  const { port, toGet, metrics, lines } = await startInFront(
    (request) => {
      requestId = request.headers['x-request-id'];
    },
    { log: { calls: true } },
  );
  const socket = await open(port);
  socket.write(toGet(headers));
  await expect.poll(() => requestId).toEqual(expect.any(String));
  socket.resetAndDestroy();
  await expect.poll(metrics).toMatch(GONE('gateway', 'cloudrun-get-root', 'hello'));
  const call = { surface: 'gateway', operation: 'cloudrun-get-root', caller: 'me', requestId };
  const ended = { status: 0, msg: 'caller disconnected' };
  expect(lines).toContainEqual(expect.objectContaining({ ...call, ...ended }));
});

test.each([
  ['storage', 'batchDelete'],
  ['upload', 'uploadFile'],
])('counts and logs a %s call whose caller disconnects in its body', async (surface, operation) => {
  const started = await startDeployment({ log: { calls: true } });
  const { port, metric, metrics, lines, dev } = started;
  const socket = await open(port);
  const headers = Object.entries(dev.sign()).map(([name, value]) => `${name}: ${value}\r\n`);
  const call = `POST /api/v2/envs/dev/storages:batchDelete HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n${headers.join('')}\r\n{`;
  const upload = `${await toUploadHead(started, 'a.txt')}${'x'.repeat(MEBIBYTE)}`;
  socket.write(surface === 'storage' ? call : upload);
  await expect.poll(() => metric('berth_calls_active')).toBe(1);
  if (surface === 'upload') await expect.poll(async () => (await started.disk()).length).toBe(2);
  socket.resetAndDestroy();
  await expect.poll(metrics).toMatch(GONE(surface, operation, ''));
  const ended = { surface, operation, requestId: expect.any(String), msg: 'caller disconnected' };
  expect(lines).toContainEqual(expect.objectContaining(ended));
});

test.each([
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
  ['a WebSocket without a host', `GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`],
])('survives resets after asking for %s', async (_, bytes) => {
  const { port, metric } = await startDeployment();
  const sent = Buffer.from(bytes + 'x'.repeat(4 * MEBIBYTE));
  for (let time = 0; time < 50; time += 1) {
    const socket = await open(port);
    socket.on('error', () => {}).write(sent);
    socket.resetAndDestroy();
  }
  await expect.poll(() => metric('berth_connections')).toBe(0);
});
