import type { PathLike } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { call, type Deployment, deploy, put } from '../storage/support/client.ts';

import { useTempFolder } from './temp-folder.ts';

/**
 * What a power failure would undo: content written, and names changed, since the last fsync of the file
 * or folder. Content must be durable before it gets its name, and a name before the response.
 */
const disk = vi.hoisted(() => ({
  contents: new Set<string>(),
  folders: new Set<string>(),
  violations: [] as string[],
  syncs: 0,
  isUnlinkable: false,
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const { dirname: parentOf } = await import('node:path');
  const changed = (path: PathLike) => disk.folders.add(parentOf(`${path}`));
  const named = (from: PathLike, to: PathLike) => {
    if (disk.contents.has(`${from}`)) disk.violations.push(`${from} is named before it is durable`);
    changed(from);
    changed(to);
  };
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      const handle = await real.open(...args);
      const path = `${args[0]}`;
      const [sync, writev] = [handle.sync.bind(handle), handle.writev.bind(handle)];
      return Object.assign(handle, {
        async sync() {
          await sync();
          disk.syncs += 1;
          disk.contents.delete(path);
          disk.folders.delete(path);
        },
        async writev(...chunks: Parameters<typeof writev>) {
          disk.contents.add(path);
          return writev(...chunks);
        },
      });
    },
    async rename(from: PathLike, to: PathLike) {
      await real.rename(from, to);
      named(from, to);
    },
    async link(from: PathLike, to: PathLike) {
      const error = Object.assign(new Error('EMLINK'), { code: 'EMLINK', syscall: 'link' });
      if (disk.isUnlinkable) throw error;
      await real.link(from, to);
      named(from, to);
    },
    async copyFile(from: PathLike, to: PathLike, mode?: number) {
      await real.copyFile(from, to, mode);
      disk.contents.add(`${to}`);
      changed(to);
    },
    async unlink(path: PathLike) {
      await real.unlink(path);
      changed(path);
    },
    async mkdir(...args: Parameters<typeof real.mkdir>) {
      const made = await real.mkdir(...args);
      changed(args[0]);
      return made;
    },
    async rmdir(path: PathLike) {
      await real.rmdir(path);
      disk.folders.delete(`${path}`);
      changed(path);
    },
  };
});

let to: Deployment;
let root: string;

beforeEach(async () => {
  disk.contents.clear();
  disk.folders.clear();
  disk.violations = [];
  root = join(await useTempFolder(), 'new', 'store');
  to = await deploy({ blobs: await createFileBlobStore({ root }) });
  disk.syncs = 0;
});

afterEach(() => {
  disk.isUnlinkable = false;
  // Files in `tmp/` are not visible yet, or no longer.
  disk.folders.delete(join(root, 'tmp'));
  expect(disk).toMatchObject({ violations: [], contents: new Set(), folders: new Set() });
});

// Windows does not rename an open file.
test.skipIf(process.platform === 'win32')('the recorder detects what is not durable', async () => {
  const fs = await import('node:fs/promises');
  const [file, name] = [join(root, 'file'), join(root, 'name')];
  const handle = await fs.open(file, 'wx');
  await handle.writev([Buffer.from('x')]);
  await fs.rename(file, name);
  expect(disk.violations).toEqual([`${file} is named before it is durable`]);
  expect([...disk.contents, ...disk.folders]).toEqual([file, root]);
  await handle.sync();
  await handle.close();
  await fs.unlink(name);
  disk.folders.delete(root);
  disk.violations = [];
});

async function change(operation: string, item: unknown): Promise<void> {
  const { status, data } = await call(to, operation, { fileList: [item] });
  expect(status).toBe(200);
  expect([undefined, 'SUCCESS']).toContain(data.fileList[0]?.code);
}

test('a store', async () => {
  expect(await readdir(root)).toEqual(['files', 'tmp']);
  expect(await readdir(dirname(root))).toEqual(['store']);
  // As left by a process that was killed before fsync.
  disk.folders.add(root);
  await createFileBlobStore({ root });
});

test('an upload, its new folders, and another one in its place', async () => {
  await put(to, 'a/b/file', 'old');
  expect(disk.syncs).toBeGreaterThanOrEqual(5);
  await put(to, 'a/b/file', 'x'.repeat(1_000_000));
});

test.each([true, false])('a copy, overwrite %j', async (overwrite) => {
  await put(to, 'file', 'content');
  await change('batchCopyFile', { srcPath: '/file', dstPath: '/a/b/copy', overwrite });
});

test('a copy of every byte', async () => {
  await put(to, 'file', 'content');
  disk.isUnlinkable = true;
  await change('batchCopyFile', { srcPath: '/file', dstPath: '/a/b/copy' });
});

test.each([true, false])('a move, overwrite %j', async (overwrite) => {
  await put(to, 'from/file', 'content');
  const item = { srcPath: '/from/file', dstPath: '/to/file', overwrite, removeOriginal: true };
  await change('batchCopyFile', item);
});

test('a move onto a copy', async () => {
  await put(to, 'from/file', 'content');
  const item = { srcPath: '/from/file', dstPath: '/to/file' };
  await change('batchCopyFile', item);
  await change('batchCopyFile', { ...item, removeOriginal: true });
});

test.each(['file', 'only/file'])('a deletion of %s', async (path) => {
  await put(to, 'neighbour', 'content');
  await change('batchDelete', await put(to, path, 'content'));
});
