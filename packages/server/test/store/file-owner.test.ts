import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileBlobStore } from '../../src/store/disk.ts';
import { startDevelopment } from '../server/support/cli.ts';
import { useTempFolder } from './temp-folder.ts';

test('refuses the store of a running process, and takes that of a killed one', async () => {
  const folder = await useTempFolder();
  const root = join(folder, 'files');
  const { cli } = await startDevelopment(folder, '--data', '.');
  const owner = `Process ${cli.child.pid} on ${hostname()}`;
  await expect(createFileBlobStore({ root })).rejects.toThrow(owner);
  cli.child.kill('SIGKILL');
  await cli.finish();
  const store = await createFileBlobStore({ root });
  await store.close();
});

test.each([
  ['half of a file', '{"pid'],
  [
    'this process, before it was restarted in a container',
    JSON.stringify({ pid: process.pid, host: hostname(), since: Date.now() }),
  ],
])('takes the store of %s', async (_, owner) => {
  const root = await useTempFolder();
  await writeFile(join(root, 'owner.json'), owner);
  const store = await createFileBlobStore({ root });
  await store.close();
});

test('refuses the store of a process on another machine, and names the file to remove', async () => {
  const root = await useTempFolder();
  const file = join(root, 'owner.json');
  await writeFile(file, JSON.stringify({ pid: 1, host: 'elsewhere', since: Date.now() }));
  await expect(createFileBlobStore({ root })).rejects.toThrow(`remove ${file}`);
});
