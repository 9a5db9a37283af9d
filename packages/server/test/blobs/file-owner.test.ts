import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { startChild } from './children/start-child.ts';
import { useTempFolder } from './temp-folder.ts';

test('a store has one owner, until it is closed', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  await expect(createFileBlobStore({ root })).rejects.toThrow(`Process ${process.pid} on `);
  await store.close();
  const next = await createFileBlobStore({ root });
  await next.close();
});

test('refuses the store of a running process, and takes that of a killed one', async () => {
  const root = await useTempFolder();
  const child = startChild('own-store.ts', [root]);
  for await (const line of child.lines) {
    expect(line).toBe('opened');
    break;
  }
  const { pid } = JSON.parse(await readFile(join(root, 'owner.json'), 'utf8'));
  await expect(createFileBlobStore({ root })).rejects.toThrow(`Process ${pid} on ${hostname()}`);
  child.process.kill('SIGKILL');
  await child.ended;
  const store = await createFileBlobStore({ root });
  await store.close();
});

test.each([
  ['half of a file', '{"pid'],
  ['a process before the machine started', { pid: 1, host: hostname(), since: 0 }],
  [
    'this process, before it was restarted in a container',
    { pid: process.pid, host: hostname(), since: Date.now() },
  ],
])('takes the store of %s', async (_, owner) => {
  const root = await useTempFolder();
  const text = typeof owner === 'string' ? owner : JSON.stringify(owner);
  await writeFile(join(root, 'owner.json'), text);
  const store = await createFileBlobStore({ root });
  await store.close();
});

test('refuses the store of a process on another machine, and names the file to remove', async () => {
  const root = await useTempFolder();
  const file = join(root, 'owner.json');
  await writeFile(file, JSON.stringify({ pid: 1, host: 'elsewhere', since: Date.now() }));
  await expect(createFileBlobStore({ root })).rejects.toThrow(`remove ${file}`);
});
