import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { checkFileStore } from '../../src/blobs/file/check-file-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { readAll, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

/** What somebody else does in the moment before a file is taken away from its place, once. */
const moment = vi.hoisted(() => ({
  before: undefined as undefined | ((path: string) => Promise<unknown>),
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const strike = async (path: string) => {
    const { before } = moment;
    if (before === undefined || !path.includes('victim')) return;
    moment.before = undefined;
    await before(path);
  };
  return {
    ...real,
    rename: async (from: string, to: string) => {
      await strike(from);
      await real.rename(from, to);
    },
    unlink: async (path: string) => {
      await strike(path);
      await real.unlink(path);
    },
  };
});

const key = { env: 'dev', path: 'victim/file' };
let root: string;
let store: BlobStore;

const write = (text: string) =>
  store.write(key, toStream(Buffer.from(text)), { contentType: 'a/b' });

beforeEach(async () => {
  moment.before = undefined;
  root = await useTempFolder();
  store = await createFileBlobStore({ root });
});

async function expectContent(text: string): Promise<void> {
  expect(moment.before).toBeUndefined();
  expect((await readAll(store, key))?.toString()).toBe(text);
  const problems: unknown[] = [];
  const litterOlderThan = new Date(Date.now() + 1000);
  await checkFileStore(root, { onProblem: (problem) => problems.push(problem), litterOlderThan });
  expect(problems).toEqual([]);
}

test('a deletion of one version leaves the one that is written just before it', async () => {
  const { etag: ifEtag } = await write('old');
  moment.before = () => write('new');
  expect(await store.delete(key, { ifEtag })).toBe(false);
  await expectContent('new');
});

test('of a file that is deleted just before, nothing is left to delete', async () => {
  const { etag: ifEtag } = await write('old');
  moment.before = () => store.delete(key);
  expect(await store.delete(key, { ifEtag })).toBe(false);
  expect(await store.stat(key)).toBeUndefined();
});

test('a repair leaves a file that is uploaded again just before it is set aside', async () => {
  await write('old');
  await writeFile(join(root, 'files', toDiskPath(key)), 'damaged');
  moment.before = () => write('new');
  const problems: string[] = [];
  await checkFileStore(root, { onProblem: ({ kind }) => problems.push(kind), repair: true });
  expect(problems).toEqual(['damaged']);
  await expectContent('new');
});

test('a repair leaves a file that is uploaded again as soon as it is told of', async () => {
  await write('old');
  await writeFile(join(root, 'files', toDiskPath(key)), 'damaged');
  let written: Promise<unknown> = Promise.resolve();
  await checkFileStore(root, {
    onProblem: () => {
      written = write('new');
    },
    repair: true,
  });
  await written;
  await expectContent('new');
});

test('a repair may find the file deleted', async () => {
  await write('old');
  await writeFile(join(root, 'files', toDiskPath(key)), 'damaged');
  moment.before = () => store.delete(key);
  await checkFileStore(root, { onProblem: () => {}, repair: true });
  expect(await store.stat(key)).toBeUndefined();
});
