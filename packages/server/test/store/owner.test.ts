import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDiskStore } from '../../src/store/disk/disk-store.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import { startDevelopment } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { NO_LOCKS } from './blob-contents.ts';

/** A store with what a process has left in `owners/`, and the path of that file. */
async function useStore(...owner: (string | number)[]) {
  const root = await makeFolder();
  await mkdir(join(root, 'owners'));
  const file = join(root, 'owners', owner.join('.'));
  await writeFile(file, '');
  return { root, file };
}

test('refuses the store of a running process, and takes that of a killed one', async () => {
  const folder = await makeFolder();
  const root = join(folder, 'files');
  const { cli } = await startDevelopment(folder, '--data', '.');
  const owner = `Process ${cli.child.pid} on ${hostname()}`;
  await expect(openDiskStore(root)).rejects.toThrow(owner);
  await expect(openDiskStore(root, NO_LOCKS)).rejects.toThrow(owner);
  cli.child.kill('SIGKILL');
  await cli.finish();
  const store = await openDiskStore(root);
  expect(await readdir(join(root, 'owners'))).toHaveLength(1);
  await store.close();
  expect(await readdir(join(root, 'owners'))).toEqual([]);
});

test('takes the store of this process, before it was restarted in a container', async () => {
  const { root } = await useStore('alone', process.pid, 1, 'id', hostname());
  const store = await openDiskStore(root);
  await expect(openDiskStore(root)).rejects.toThrow(`Process ${process.pid}`);
  await store.close();
});

test.each(['alone', 'shared'])('refuses the store of another machine (%s)', async (ownership) => {
  const { root, file } = await useStore(ownership, 1, Date.now(), 'id', 'else.where');
  await expect(openDiskStore(root)).rejects.toThrow(`remove ${file}`);
});

test('processes that share locks share a store, which nobody repairs meanwhile', async () => {
  const root = await makeFolder();
  const stores = [await openDiskStore(root, NO_LOCKS), await openDiskStore(root, NO_LOCKS)];
  await expect(openDiskStore(root)).rejects.toThrow('share Redis');
  const repair = fsck(root, { repair: true, onProblem() {} });
  await expect(repair).rejects.toThrow('uses the store');
  for (const store of stores) await store.close();
  await (await openDiskStore(root)).close();
});
