import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { StorageClient } from '../break-ins/support/storage-client.ts';
import { Cli } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';

const CONFIG = `
listen: { port: 0, reusePort: true }
admin: { port: 0 }
store: { driver: file, root: ./store }
keys: [{ secret: ${'k'.repeat(32)} }]
environments: { dev: { credentials: [{ id: me, secret: my-secret }] } }
`;

const UPLOADS = 100;
/** How many are acknowledged when the process is killed. */
const KILL_AFTER = 30;

const toHash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const toContent = (at: number) => new Uint8Array(100_000 + at * 3000).fill(at);

test('two processes killed amid 100 uploads lose nothing that they acknowledged', async () => {
  const folder = await makeFolder({ 'berth.yaml': CONFIG });
  const start = async (port: string) => {
    const cli = new Cli(folder, ['--config', 'berth.yaml', '--port', port]);
    const { url } = await cli.listening();
    return { cli, url, dev: new StorageClient(url, { id: 'me', secret: 'my-secret' }) };
  };
  const first = await start('0');
  const all = [first, await start(new URL(first.url).port)];
  const acknowledged: number[] = [];
  const uploads = Array.from({ length: UPLOADS }, async (_, at) => {
    const response = await first.dev.upload(`file-${at}`, toContent(at));
    if (response.status !== 204) return;
    acknowledged.push(at);
    if (acknowledged.length < KILL_AFTER) return;
    for (const { cli } of all) cli.child.kill('SIGKILL');
  });
  await Promise.allSettled(uploads);
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILL_AFTER);
  expect(acknowledged.length).toBeLessThan(UPLOADS);

  const { dev, cli } = await start('0');
  let visible = 0;
  for (let at = 0; at < UPLOADS; at += 1) {
    const link = await dev.link(`file-${at}`);
    if (link === '') {
      expect(acknowledged).not.toContain(at);
      continue;
    }
    visible += 1;
    const bytes = new Uint8Array(await (await fetch(link)).arrayBuffer());
    expect([at, toHash(bytes)]).toEqual([at, toHash(toContent(at))]);
  }
  expect(visible).toBeGreaterThanOrEqual(acknowledged.length);
  // Leftovers of the killed uploads are no problem of the store, and are swept when they are an hour
  // old.
  const checked = await new Cli(folder, ['fsck', '--config', 'berth.yaml']).finish();
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(`${visible} files`)]);
  cli.child.kill('SIGTERM');
  await cli.finish();
});
