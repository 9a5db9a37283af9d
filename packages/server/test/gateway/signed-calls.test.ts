import { readdir } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readSignedBody } from '../../src/gateway/bodies.ts';
import { startService } from '../server/support/hosted-service.ts';
import { serving, startServer } from '../server/support/start-server.ts';
import { mountSmallDisk } from '../store/small-disk.ts';

const MEBIBYTE = 1024 * 1024;
const PAIR = { id: 'me', secret: 'the-secret-of-me' };

/** A server in front of a service that records the bodies of its requests. */
async function startRecorder(change = {}, environment = {}) {
  const bodies: Buffer[] = [];
  const origin = await startService(async (request, response) => {
    bodies.push(await buffer(request));
    response.end(request.headers['content-length']);
  });
  const credentials = [PAIR];
  const started = await startServer(change, { ...serving(origin), credentials, ...environment });
  const send = (body?: string, change?: { signed?: string; path?: string }) =>
    started.sendSigned(PAIR, body, change);
  return { bodies, send };
}

const OTHER = { signed: 'other' };
const FORGED = { code: 'INVALID_CREDENTIALS', status: 401 };

it.each([1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE])('verifies a body of %i bytes', async (size) => {
  const { bodies, send } = await startRecorder();
  const body = 'abc'.repeat(size).slice(0, size);
  expect(await send(body, OTHER)).toMatchObject(FORGED);
  expect(bodies).toEqual([]);
  expect(await send(body)).toMatchObject({ text: String(size) });
  expect(String(bodies[0])).toBe(body);
});

it('refuses a signed body beyond the limit', async () => {
  const { bodies, send } = await startRecorder({ limits: { gatewayBodyBytes: 2 * MEBIBYTE } });
  expect(await send('x'.repeat(4 * MEBIBYTE))).toMatchObject({ status: 413 });
  expect(bodies).toEqual([]);
});

it('responds with 503 while the disk for large signed bodies is full', async (context) => {
  const disk = await mountSmallDisk('size=2m');
  if ('reason' in disk) return context.skip(disk.reason);
  vi.stubEnv('TMPDIR', disk.folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { bodies, send } = await startRecorder();
  const refused = await send('x'.repeat(3 * MEBIBYTE));
  expect(refused).toMatchObject({ code: 'SYS_ERR', status: 503, headers: { 'retry-after': '1' } });
  expect(bodies).toEqual([]);
  expect(await send('x'.repeat(MEBIBYTE + 1))).toMatchObject({ status: 200 });
});

it('counts and calls only after the signature is verified, and releases refused bodies', async () => {
  const { bodies, send } = await startRecorder({}, { quota: { calls: 1, seconds: 3600 } });
  expect(await send('', OTHER)).toMatchObject(FORGED);
  expect(await send('abc', OTHER)).toMatchObject(FORGED);
  // Nor does it reveal whether a service exists.
  expect(await send('', { ...OTHER, path: '/v1/cloudrun/other' })).toMatchObject(FORGED);
  expect(await send('abc')).toMatchObject({ status: 200 });
  const before = (await readdir('/proc/self/fd')).length;
  for (let time = 0; time < 5; time += 1) {
    const refused = await send('x'.repeat(2 * MEBIBYTE));
    expect(refused).toMatchObject({ code: 'EXCEED_RATELIMIT' });
  }
  expect(bodies).toHaveLength(1);
  await expect.poll(async () => (await readdir('/proc/self/fd')).length).toBeLessThan(before + 5);
});

it('reads 128 large signed bodies at a time, and any number of small ones', async () => {
  const begin = (size: number) => {
    const body = new PassThrough();
    body.write(Buffer.alloc(size));
    return { body, read: readSignedBody(body) };
  };
  const pending = [...Array(128).fill(65_537), ...Array(10).fill(65_536)].map(begin);
  await expect(begin(65_537).read).rejects.toMatchObject({ code: 'EXCEED_RATELIMIT' });
  expect(await readSignedBody(Readable.from([Buffer.from('abc')]))).toMatchObject({ length: 3 });
  for (const { body } of pending) body.destroy(new Error('gone'));
  for (const { read } of pending) await expect(read).rejects.toThrow('gone');
  const again = begin(65_537);
  again.body.end();
  expect(await again.read).toMatchObject({ length: 65_537 });
});

it('gives up a signed body that does not arrive in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const read = readSignedBody(new PassThrough());
  vi.advanceTimersByTime(30_000);
  await expect(read).rejects.toMatchObject({ code: 'INVALID_REQUEST', status: 408 });
});
