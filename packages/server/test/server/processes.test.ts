import { expect, test } from 'vitest';
import { findFault } from '../../src/cli/fail.ts';
import { StorageClient } from '../break-ins/support/storage-client.ts';
import { Cli } from './support/cli.ts';
import { makeFolder } from './support/start-server.ts';

const yaml = (listen: string) => `
listen: { port: 0, shutdownSeconds: 2, ${listen} }
admin: { port: 0 }
keys: [{ secret: ${'k'.repeat(32)} }]
environments: { dev: { credentials: [{ id: me, secret: the-secret-of-me }] } }
`;

/** One call on a separate connection. */
async function status(url: string): Promise<number> {
  const client = new StorageClient(url, { id: 'me', secret: 'the-secret-of-me' });
  return (await client.call('batchDelete', '{"fileList":[]}', { connection: 'close' })).status;
}

async function callsOf(adminUrl: string): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^berth_calls_total\{surface="storage",.*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

test.runIf(process.platform === 'linux')(
  'processes share a port with listen.reusePort, and one continues without the other',
  async () => {
    const folder = await makeFolder({ 'berth.yaml': yaml('reusePort: true') });
    const first = new Cli(folder, ['--config', 'berth.yaml']);
    const { url, adminUrl } = await first.listening();
    const { port } = new URL(url);
    const second = new Cli(folder, ['--config', 'berth.yaml', '--port', port]);
    const other = await second.listening();
    expect(other.url).toBe(url);

    const statuses = await Promise.all(Array.from({ length: 64 }, () => status(url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const counts = [await callsOf(adminUrl), await callsOf(other.adminUrl)];
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(64);

    first.child.kill('SIGKILL');
    await first.finish();
    const after = await Promise.all(Array.from({ length: 16 }, () => status(url)));
    expect(new Set(after)).toEqual(new Set([200]));
    second.child.kill('SIGTERM');
    expect(await second.finish()).toMatchObject({ code: 0, stderr: '' });
  },
);

test('reports a system that cannot share ports', () => {
  const error = Object.assign(new Error('listen ENOTSUP'), { syscall: 'listen', code: 'ENOTSUP' });
  expect(findFault(error)).toMatchObject({
    message:
      'This system does not support sharing a port (listen.reusePort): put a load balancer in front of several ports.',
    exitCode: 2,
  });
});
