import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWhole } from '../break-ins/support/start-whole.ts';
import { mountSmallDisk } from '../store/temp-folder.ts';

const MEBIBYTE = 1024 * 1024;

test('responds with a 503 of the contract to a full disk, keeps files intact, and recovers', async (context) => {
  const disk = await mountSmallDisk('size=6m');
  if ('reason' in disk) return context.skip(disk.reason);
  const { dev, adminUrl, lines } = await startWhole({
    store: { driver: 'file', root: disk.folder },
  });
  expect((await dev.upload('a.txt', 'old')).status).toBe(204);

  for (const path of ['a.txt', 'b.txt', 'c.txt']) {
    const refused = await dev.upload(path, new Uint8Array(8 * MEBIBYTE));
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const text = await refused.text();
    expect(text).toContain('<Code>ServiceUnavailable</Code>');
    expect(text).not.toContain(disk.folder);
  }
  expect(await dev.read('a.txt')).toBe('old');
  expect(await dev.read('b.txt')).toBeUndefined();
  expect((await dev.upload('b.txt', new Uint8Array(MEBIBYTE))).status).toBe(204);

  // Filled to the last byte, by somebody else.
  const filler = join(disk.folder, 'filler');
  await writeFile(filler, new Uint8Array(8 * MEBIBYTE)).catch(() => {});
  expect((await dev.upload('d.txt', new Uint8Array(64 * 1024))).status).toBe(503);
  expect(await dev.read('a.txt')).toBe('old');
  expect((await fetch(`${adminUrl}/healthz`)).status).toBe(200);
  const deleted = await dev.call('batchDelete', { fileList: ['cloud://dev.files/b.txt'] });
  expect(deleted.data?.fileList[0]?.code).toBe('SUCCESS');

  await rm(filler);
  expect((await dev.upload('d.txt', 'new')).status).toBe(204);
  expect(await dev.read('d.txt')).toBe('new');
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain('berth_store_failures_total{method="write"} 4');
  expect(lines.some(({ msg }) => msg === 'call failed')).toBe(true);
});
