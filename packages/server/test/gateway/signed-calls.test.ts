import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GatewayError } from '@berth/server-stubs';
import { expect, it, onTestFinished } from 'vitest';
import { SignedBodies } from '../../src/gateway/signed-body.ts';
import { mountSmallDisk } from '../store/temp-folder.ts';
import { send, signed, startGateway, startService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const MEBIBYTE = 1024 * 1024;
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

async function startCounting(options = {}, routing = {}) {
  const bodies: Buffer[] = [];
  const lengths: (string | undefined)[] = [];
  const { origin } = await startService(async (request, response) => {
    lengths.push(request.headers['content-length']);
    bodies.push(await buffer(request));
    response.end('ok');
  });
  const started = await startGateway(toService([origin]), options, routing);
  return { bodies, lengths, ...started };
}

/** Posts a body whose signature covers this hash. */
const post = (
  base: string,
  { body = 'abc' as string | Buffer, hash = sha256(body), headers = {} } = {},
) =>
  send(base, HELLO, { method: 'POST', body, headers: { authorization: signed(hash), ...headers } });

it.each([0, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE])(
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
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('berth-body-'));
  const { bodies, base } = await startCounting({}, { requests: { streamBytes: 2 * MEBIBYTE } });
  async function* pieces() {
    for (let piece = 0; piece < 4; piece += 1) yield 'x'.repeat(MEBIBYTE);
  }
  const headers = { authorization: signed(sha256('x'.repeat(4 * MEBIBYTE))) };
  const response = await send(base, HELLO, { method: 'POST', body: pieces(), headers });
  expect(response).toMatchObject({ code: 'EXCEED_MAX_PAYLOAD_SIZE', status: 413 });
  expect(bodies).toEqual([]);
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith('berth-body-'));
  expect(after).toEqual(before);
});

it('responds with 503 while the disk for large signed bodies is full', async (context) => {
  const disk = await mountSmallDisk('size=2m');
  if ('reason' in disk) return context.skip(disk.reason);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk.folder;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const { bodies, base } = await startCounting();
  const refused = await post(base, { body: Buffer.alloc(3 * MEBIBYTE) });
  expect(refused).toMatchObject({ code: 'SYS_ERR', status: 503 });
  expect(refused.headers['retry-after']).toBe('1');
  expect(bodies).toEqual([]);
  expect(await post(base, { body: Buffer.alloc(MEBIBYTE + 1) })).toMatchObject({ text: 'ok' });
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
  const body = 'x'.repeat(2 * MEBIBYTE);
  const before = (await readdir('/proc/self/fd')).length;
  for (let time = 0; time < 5; time += 1) {
    expect(await post(base, { body })).toMatchObject({ code: 'EXCEED_RATELIMIT' });
  }
  expect(bodies).toEqual([]);
  await expect.poll(async () => (await readdir('/proc/self/fd')).length).toBeLessThan(before + 5);
});

const HEAD = `POST ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${signed('x')}\r\nContent-Length: 9\r\n\r\n`;

/** Begins a signed call whose body does not arrive. */
function hold(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).write(`${HEAD}abc`);
  return socket;
}

it('refuses signed bodies beyond 128 at a time, and reads them again once others are gone', async () => {
  const { base, port } = await startCounting();
  const sockets = Array.from({ length: 128 }, () => hold(port));
  await expect.poll(async () => (await post(base)).code).toBe('EXCEED_RATELIMIT');
  expect(await post(base)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await post(base)).text).toBe('ok');
});

it('gives up a signed body that does not arrive in time, and its place', async () => {
  const bodies = new SignedBodies();
  const stalled = Array.from({ length: 128 }, () => bodies.read(new PassThrough(), 0.01));
  await expect(bodies.read(new PassThrough())).rejects.toMatchObject({ code: 'EXCEED_RATELIMIT' });
  for (const outcome of await Promise.allSettled(stalled)) {
    expect(outcome).toMatchObject({ reason: { code: 'INVALID_REQUEST', status: 408 } });
  }
  const { hash, length } = await bodies.read(Readable.from([Buffer.from('abc')]));
  expect({ hash, length }).toEqual({ hash: sha256('abc'), length: 3 });
});
