import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signStorageRequest } from '../../src/auth/sign-storage-request.ts';
import { Cli } from './support/cli.ts';
import { makeFolder } from './support/folder.ts';

const yaml = (secret: string) => `
listen: { port: 0, shutdownSeconds: 2 }
admin: { port: 0 }
keys: [{ secret: ${'k'.repeat(32)} }]
environments: { dev: { credentials: [{ id: me, secret: ${secret} }] } }
`;

async function status(url: string, secret: string): Promise<number> {
  const answer = await fetch(`${url}/api/v2/envs/dev/storages:batchDelete`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      connection: 'close',
      ...signStorageRequest({ id: 'me', secret }, { timestamp: Math.floor(Date.now() / 1000) }),
    },
    body: '{"fileList":[]}',
  });
  await answer.text();
  return answer.status;
}

test('workers share a port, are counted together, replaced, reloaded and ended', async () => {
  const folder = await makeFolder({ 'berth.yaml': yaml('first-secret') });
  const cli = new Cli(folder, ['--config', 'berth.yaml', '--workers', '2']);
  const { url, adminUrl } = await cli.listening();
  const statuses = (secret: string) =>
    Promise.all(Array.from({ length: 8 }, () => status(url, secret)));
  expect(new Set(await statuses('first-secret'))).toEqual(new Set([200]));
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain(
    'berth_calls_total{surface="storage",operation="batchDelete",status="2xx",code=""} 8',
  );
  expect(await (await fetch(`${adminUrl}/readyz`)).text()).toBe('ready\n');

  await writeFile(join(folder, 'new.yaml'), yaml('second-secret'));
  await rename(join(folder, 'new.yaml'), join(folder, 'berth.yaml'));
  await cli.line('took over a new configuration');
  expect(new Set(await statuses('second-secret'))).toEqual(new Set([200]));
  expect(new Set(await statuses('first-secret'))).toEqual(new Set([401]));

  const started = await cli.line('worker started');
  process.kill(started.workerPid as number, 'SIGKILL');
  await cli.line('a worker died and is replaced');
  await cli.line('worker started', 3);
  expect(new Set(await statuses('second-secret'))).toEqual(new Set([200]));

  cli.child.kill('SIGTERM');
  expect(await cli.finish()).toMatchObject({ code: 0, stderr: '' });
  expect(cli.stdout).not.toMatch(/(first|second)-secret/);
});

test('a store that cannot be opened ends all of them with one sentence', async () => {
  const folder = await makeFolder({
    'berth.yaml': `${yaml('first-secret')}store: { driver: file, root: /dev/null/x }\n`,
  });
  const { code, stderr } = await new Cli(folder, [
    '--config',
    'berth.yaml',
    '--workers',
    '2',
  ]).finish();
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
