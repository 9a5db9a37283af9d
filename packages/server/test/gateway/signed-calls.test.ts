import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { GatewayError } from '@berth/server-stubs';
import { expect, it, onTestFinished } from 'vitest';
import { mountSmallDisk } from '../store/temp-folder.ts';
import { send, signed, startGateway, startService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

async function startCounting(options = {}, routing = {}) {
  const bodies: Buffer[] = [];
  const lengths: (string | undefined)[] = [];
  const { origin } = await startService(async (request, response) => {
    lengths.push(request.headers['content-length']);
    bodies.push(await buffer(request));
    response.end('ok');
  });
  const started = await startGateway(
    [toService([origin])],
    { spoolBytes: 1000, ...options },
    routing,
  );
  return { bodies, lengths, ...started };
}

/** Posts a body whose signature covers this hash. */
const post = (
  base: string,
  { body = 'abc' as string | Buffer, hash = sha256(body), headers = {} } = {},
) =>
  send(base, HELLO, { method: 'POST', body, headers: { authorization: signed(hash), ...headers } });

it.each([0, 1000, 1001, 300_000])(
  'verifies a signed body of %i bytes before it calls',
  async (size) => {
    const { bodies, lengths, base } = await startCounting();
    const body = Buffer.alloc(size, 'abc');
    const forged = await post(base, { body, hash: sha256('other') });
    expect(forged).toMatchObject({ code: 'INVALID_CREDENTIALS', status: 401 });
    expect(bodies).toEqual([]);
    expect(await post(base, { body })).toMatchObject({ text: 'ok' });
    expect(bodies[0]?.equals(body)).toBe(true);
    expect(lengths).toEqual([String(size)]);
  },
);

it('does not reveal whether a service exists to a caller with an invalid signature', async () => {
  const { base } = await startCounting();
  const headers = { authorization: signed(sha256('x')) };
  expect(await send(base, '/v1/cloudrun/other', { headers })).toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
});

it('refuses a signed body beyond the limit, and leaves no file', async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('berth-spool-'));
  const { bodies, base } = await startCounting({}, { requests: { streamBytes: 5000 } });
  async function* pieces() {
    for (let piece = 0; piece < 10; piece += 1) yield 'x'.repeat(1000);
  }
  const headers = { authorization: signed(sha256('x'.repeat(10_000))) };
  const response = await send(base, HELLO, { method: 'POST', body: pieces(), headers });
  expect(response).toMatchObject({ code: 'EXCEED_MAX_PAYLOAD_SIZE', status: 413 });
  expect(bodies).toEqual([]);
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith('berth-spool-'));
  expect(after).toEqual(before);
});

it('responds with 503 while the disk for large signed bodies is full', async (context) => {
  const disk = await mountSmallDisk('size=64k');
  if ('reason' in disk) return context.skip(disk.reason);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk.folder;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const { bodies, base } = await startCounting();
  const refused = await post(base, { body: Buffer.alloc(300_000) });
  expect(refused).toMatchObject({ code: 'SYS_ERR', status: 503 });
  expect(refused.headers['retry-after']).toBe('1');
  expect(bodies).toEqual([]);
  expect(await post(base, { body: Buffer.alloc(30_000) })).toMatchObject({ text: 'ok' });
});

it('checks the quota only after the signature is verified', async () => {
  const admitted: string[] = [];
  const beforeCall = ({ caller }: { caller: { id: string } }) => {
    admitted.push(caller.id);
  };
  const { base } = await startCounting({ beforeCall });
  const hash = sha256('other');
  const get = await send(base, HELLO, { headers: { authorization: signed(hash) } });
  expect([get, await post(base, { hash })]).toMatchObject([
    { code: 'INVALID_CREDENTIALS' },
    { code: 'INVALID_CREDENTIALS' },
  ]);
  expect(admitted).toEqual([]);
  expect(await post(base)).toMatchObject({ text: 'ok' });
  expect(admitted).toEqual(['key']);
});

it('releases a body when the quota refuses the call', async () => {
  const beforeCall = () => {
    throw new GatewayError('EXCEED_RATELIMIT', { retryAfter: 1 });
  };
  const { bodies, base } = await startCounting({ beforeCall });
  const body = 'x'.repeat(5000);
  const before = (await readdir('/proc/self/fd')).length;
  for (let time = 0; time < 5; time += 1) {
    expect(await post(base, { body })).toMatchObject({ code: 'EXCEED_RATELIMIT' });
  }
  expect(bodies).toEqual([]);
  await expect.poll(async () => (await readdir('/proc/self/fd')).length).toBeLessThan(before + 5);
});

/** As many calls as an address may have whose bodies do not arrive. */
async function hold(port: number) {
  const head = `POST ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${signed('x')}\r\nContent-Length: 9\r\n\r\nabc`;
  const sockets = Array.from({ length: 128 }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => {});
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(head);
  return sockets;
}

it('limits the unverified bodies of an address, as a trusted proxy has seen it', async () => {
  const { base, port } = await startCounting({ now: () => 0, trustProxy: true });
  const sockets = await hold(port);
  await expect.poll(async () => (await post(base)).code).toBe('EXCEED_RATELIMIT');
  expect((await post(base)).headers['retry-after']).toBe('1');
  const headers = { 'x-forwarded-for': '127.0.0.1, 192.0.2.7' };
  expect(await post(base, { headers })).toMatchObject({ text: 'ok' });
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await post(base)).text).toBe('ok');
});

it('evicts the slowest of these bodies for another one, which is then read', async () => {
  let now = 0;
  const { base, port } = await startCounting({ now: () => now });
  const sockets = await hold(port);
  await expect.poll(async () => (await post(base)).code).toBe('EXCEED_RATELIMIT');
  now = 3_000;
  const lost = sockets.map((socket) => once(socket, 'data'));
  for (let time = 0; time < 3; time += 1) expect(await post(base)).toMatchObject({ text: 'ok' });
  const [refusal] = await Promise.race(lost);
  expect(String(refusal)).toMatch(/^HTTP\/1.1 429 [\s\S]*EXCEED_RATELIMIT/);
});
