import { mkdtemp, open, realpath, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BlobDamagedError } from '../../src/blobs/blob-store.ts';
import { createLayout } from '../../src/blobs/file/layout.ts';
import { startWhole } from '../break-ins/support/start-whole.ts';
import { call, deploy, errorOf, link, put } from './support/client.ts';

const CONTENT = '0123456789';

async function download(path = 'a.txt', content = CONTENT) {
  const to = await deploy();
  const address = await link(to, await put(to, path, content, { type: 'text/html' }));
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(address, { headers, method });
  return { ...to, address, get };
}

describe('a damaged file', () => {
  async function downloadDamaged(size: number) {
    const found = await download('a.bin', 'x'.repeat(size));
    const place = createLayout(found.root).fileOf({ env: 'dev', path: 'a.bin' });
    const flipByte = async () => {
      const file = await open(place, 'r+');
      await file.write('y', size / 2);
      await file.close();
    };
    return { ...found, place, flipByte };
  }

  test('is refused before a byte is sent if it is short', async () => {
    const { flipByte, get, errors } = await downloadDamaged(1000);
    await flipByte();
    const response = await get();
    expect(response.status).toBe(500);
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await errorOf(response)).toMatchObject({
      Code: 'InternalError',
      Message: 'The file is damaged. Report the request ID to the operator.',
    });
    expect(errors).toEqual([expect.any(BlobDamagedError)]);
  });

  test('closes the connection early if it is long', async () => {
    const { flipByte, get, errors } = await downloadDamaged(2_000_000);
    await flipByte();
    const response = await get();
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    // The caller may see the end of the connection first.
    await expect.poll(() => errors).toEqual([expect.any(BlobDamagedError)]);
  });

  test('that is truncated is an error that a retry cannot fix', async () => {
    const { place, get, errors, ...to } = await downloadDamaged(1000);
    await truncate(place, 500);
    for (const method of ['GET', 'HEAD']) {
      const response = await get({}, method);
      expect(response.status).toBe(500);
      expect(response.headers.get('retry-after')).toBeNull();
    }
    expect(errors).toEqual([expect.any(BlobDamagedError), expect.any(BlobDamagedError)]);
    const fileList = [{ fileID: 'cloud://dev.files/a.bin' }];
    const asked = await call({ ...to, errors }, 'batchGetTempUrls', { fileList });
    expect(asked).toMatchObject({ status: 500, code: 'SYS_ERR' });
  });
});

test('a damaged file is counted and logged', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'berth-damage-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const { dev, adminUrl, lines } = await startWhole({
    store: { driver: 'file', root },
  });
  await dev.upload('a.bin', CONTENT);
  const file = await open(createLayout(root).fileOf({ env: 'dev', path: 'a.bin' }), 'r+');
  await file.write('!', 5);
  await file.close();
  expect((await fetch(await dev.link('a.bin'))).status).toBe(500);
  const metrics = async () => (await fetch(`${adminUrl}/metrics`)).text();
  expect(await metrics()).toContain('berth_damaged_files_total 1\n');
  expect(lines.filter(({ msg }) => msg === 'a file is damaged')).toMatchObject([
    { level: 'error', file: { env: 'dev', path: 'a.bin' } },
  ]);
});
