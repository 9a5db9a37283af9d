import { expect, test } from 'vitest';
import { startDeployment } from '../attacks/support/start-deployment.ts';
import { mountSmallDisk } from '../store/temp-folder.ts';

const MEBIBYTE = 1024 * 1024;

test('responds with a 503 of the contract to a full disk, and recovers', async (context) => {
  const disk = await mountSmallDisk('size=6m');
  if ('reason' in disk) return context.skip(disk.reason);
  const { dev, adminUrl, lines } = await startDeployment({
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
  expect((await dev.upload('b.txt', new Uint8Array(MEBIBYTE))).status).toBe(204);

  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain('berth_store_failures_total{method="write"} 3');
  expect(lines.some(({ msg }) => msg === 'call failed')).toBe(true);
});
