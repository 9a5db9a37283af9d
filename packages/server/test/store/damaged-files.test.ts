import { open, truncate } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { errorOf } from '../../../storage/test/support/client.ts';
import { pathOf } from '../../src/store/disk/disk-store.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import { startDeployment } from '../attacks/support/start-deployment.ts';

/** A server with a file of this size, perhaps with a changed byte in the middle. */
async function startWithFile(size: number, { isDamaged = false } = {}) {
  const started = await startDeployment();
  await started.dev.upload('a.bin', 'x'.repeat(size));
  const place = pathOf(started.root, { env: 'dev', path: 'a.bin' });
  await using file = await open(place, 'r+');
  if (isDamaged) await file.write('y', size / 2);
  const link = await started.dev.link('a.bin');
  const logged = () => started.lines.filter(({ msg }) => msg === 'storage failed');
  return { ...started, place, link, logged };
}

test('a short damaged file is refused before a byte is sent, counted and logged', async () => {
  const { link, logged, metrics } = await startWithFile(1000, { isDamaged: true });
  const response = await fetch(link);
  expect(response.status).toBe(500);
  expect(response.headers.get('etag')).toBeNull();
  const Message = 'The file is damaged. Report the request ID to the operator.';
  expect(await errorOf(response)).toMatchObject({ Code: 'InternalError', Message });
  expect(await metrics()).toContain('berth_damaged_files_total 1\n');
  const message = expect.stringMatching(/^dev\/a\.bin is damaged: the CRC-32 /);
  expect(logged()).toMatchObject([{ level: 'error', err: { message } }]);
});

test('the connection of a long damaged file is closed early', async () => {
  const { link, logged, metrics } = await startWithFile(2_000_000, { isDamaged: true });
  const response = await fetch(link);
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
  // The caller may see the end of the connection first.
  await expect.poll(logged).toHaveLength(1);
  await expect.poll(metrics).toMatch(/^berth_calls_total\{surface="link".*status="aborted"/m);
});

test('a truncated file is an error that a retry cannot fix', async () => {
  const { place, link, dev } = await startWithFile(1000);
  await truncate(place, 500);
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(link, { method });
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, null]);
  }
  const fileList = [{ fileID: 'cloud://dev.files/a.bin' }];
  const response = await dev.call('batchGetTempUrls', { fileList });
  expect(response).toMatchObject({ status: 500, code: 'SYS_ERR' });
});

test('a disk that fails during a download is worth a retry, and damage for fsck', async () => {
  const { link, place, root, metrics } = await startWithFile(1000);
  await using file = await open(place);
  const handles = Object.getPrototypeOf(file);
  const { read } = handles;
  let calls = 0;
  const failing = vi.spyOn(handles, 'read').mockImplementation(function (this: unknown, ...args) {
    calls += 1;
    // The trailer can be read.
    if (calls % 2 === 1) return read.apply(this, args);
    return Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 }));
  });
  onTestFinished(() => failing.mockRestore());
  expect((await fetch(link)).status).toBe(503);
  expect(await metrics()).toContain('berth_store_failures_total 1\n');
  const details: string[] = [];
  await fsck(root, { onProblem: ({ detail }) => details.push(detail) });
  expect(details).toContain('The disk cannot read the file (EIO).');
});
