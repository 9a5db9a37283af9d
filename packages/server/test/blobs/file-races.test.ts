import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { checkFileStore } from '../../src/blobs/file/check-file-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { call, contentOf, type Deployment, deploy, put } from '../storage/support/client.ts';

import { readAll } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

/**
 * Intercepts the disk: `before` is called with each call that changes names, and its paths, before it
 * happens.
 */
const disk = vi.hoisted(() => ({
  before: undefined as undefined | ((call: string, ...paths: string[]) => Promise<unknown>),
  onQueue: () => {},
}));

vi.mock('../../src/blobs/key-locks.ts', async (importOriginal) => {
  const { withLocks } = await importOriginal<typeof import('../../src/blobs/key-locks.ts')>();
  return {
    withLocks: (names: readonly string[], work: () => Promise<unknown>) => {
      disk.onQueue();
      return withLocks(names, work);
    },
  };
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const watched = (call: 'rename' | 'link' | 'unlink') => ({
    [call]: async (...paths: [string, string]) => {
      await disk.before?.(call, ...paths);
      await real[call](...paths);
    },
  });
  return { ...real, ...watched('rename'), ...watched('link'), ...watched('unlink') };
});

const VICTIM = 'victim/file';
const key = { env: 'dev', path: VICTIM };
let root: string;
let to: Deployment;
let store: BlobStore;

beforeEach(async () => {
  disk.before = undefined;
  to = await deploy();
  ({ root, blobs: store } = to);
});

/** Waits until operations in progress are done, or blocked by a lock. */
async function untilDoneOrQueued(work: Promise<unknown>): Promise<void> {
  const queued = new Promise<void>((resolve) => {
    disk.onQueue = resolve;
  });
  await Promise.race([work, queued]);
}

/** Calls back once, before the victim is moved away. */
function beforeTaking(act: () => Promise<unknown>): void {
  disk.before = async (call, from) => {
    if (call === 'link' || !from?.includes('victim')) return;
    disk.before = undefined;
    await act();
  };
}

async function moveTo(dstPath: string, overwrite = true): Promise<string | undefined> {
  const item = { srcPath: `/${VICTIM}`, dstPath, overwrite, removeOriginal: true };
  const { data } = await call(to, 'batchCopyFile', { fileList: [item] });
  return data.fileList[0]?.code;
}

async function problemsIn(folder: string): Promise<unknown[]> {
  const problems: unknown[] = [];
  const litterOlderThan = new Date(Date.now() + 1000);
  await checkFileStore(folder, { onProblem: (problem) => problems.push(problem), litterOlderThan });
  return problems;
}

describe.each([true, false])('a move, overwrite %j', (overwrite) => {
  test('keeps an upload readable from its acknowledgement on, even after a kill', async () => {
    await put(to, VICTIM, 'old');
    let upload: Promise<unknown> | undefined;
    let isAcknowledged = false;
    const snapshots: string[] = [];
    const seen: unknown[] = [];
    disk.before = async (name, from) => {
      if (isAcknowledged) {
        seen.push(await contentOf(to, VICTIM));
        snapshots.push(await useTempFolder());
        await cp(root, snapshots.at(-1) ?? '', { recursive: true });
      }
      if (upload || name === 'link' || !from?.includes('victim')) return;
      upload = put(to, VICTIM, 'new').then(() => {
        isAcknowledged = true;
      });
      await untilDoneOrQueued(upload);
    };
    expect(await moveTo('/moved', overwrite)).toBeUndefined();
    await upload;
    expect(seen).toEqual(seen.map(() => 'new'));
    for (const folder of snapshots) {
      const survivor = await createFileBlobStore({ root: folder });
      expect((await readAll(survivor, key))?.toString()).toBe('new');
    }
    expect(await contentOf(to, VICTIM)).toBe('new');
    expect(await contentOf(to, 'moved')).toBe('old');
    expect(await problemsIn(root)).toEqual([]);
  });

  test('leaves no gap for a copy to its source that must not overwrite', async () => {
    await put(to, VICTIM, 'old');
    await put(to, 'other', 'other');
    let upload: Promise<unknown> | undefined;
    let isAcknowledged = false;
    let copied: ReturnType<typeof call> | undefined;
    const copyOther = () => {
      const item = { srcPath: '/other', dstPath: `/${VICTIM}`, overwrite: false };
      copied ??= call(to, 'batchCopyFile', { fileList: [item] });
      return copied;
    };
    disk.before = async (name, from) => {
      if (isAcknowledged && copied === undefined) await copyOther();
      if (upload || name === 'link' || !from?.includes('victim')) return;
      upload = put(to, VICTIM, 'new').then(() => {
        isAcknowledged = true;
      });
      await untilDoneOrQueued(upload);
    };
    expect(await moveTo('/moved', overwrite)).toBeUndefined();
    await upload;
    const { data } = (await copyOther()) as { data: { fileList: { code: string }[] } };
    expect(data.fileList).toMatchObject([{ code: 'OBJECT_ALREADY_EXIST' }]);
    expect(await contentOf(to, VICTIM)).toBe('new');
    expect(await problemsIn(root)).toEqual([]);
  });

  test('keeps an upload of the same bytes with another type', async () => {
    await put(to, VICTIM, 'same', { type: 'text/plain' });
    let upload: Promise<unknown> | undefined;
    beforeTaking(() => {
      upload = put(to, VICTIM, 'same', { type: 'text/css' });
      return untilDoneOrQueued(upload);
    });
    expect(await moveTo('/moved', overwrite)).toBeUndefined();
    await upload;
    const found = await Promise.all([store.stat(key), store.stat({ ...key, path: 'moved' })]);
    expect(found.map((info) => info?.contentType)).toContain('text/css');
  });

  test('is complete at one place or the other whenever the process is killed', async () => {
    await put(to, VICTIM, 'old');
    const snapshots: string[] = [];
    disk.before = async () => {
      snapshots.push(await useTempFolder());
      await cp(root, snapshots.at(-1) ?? '', { recursive: true });
    };
    expect(await moveTo('/moved', overwrite)).toBeUndefined();
    disk.before = undefined;
    expect(snapshots).not.toEqual([]);
    for (const folder of snapshots) {
      const survivor = await createFileBlobStore({ root: folder });
      const found = await Promise.all([
        readAll(survivor, key),
        readAll(survivor, { ...key, path: 'moved' }),
      ]);
      expect(found.map(String)).toContain('old');
    }
  });
});

test('a copy finds a file that is replaced in the meantime', async () => {
  await put(to, VICTIM, 'old');
  disk.before = async (name) => {
    if (name !== 'link') return;
    disk.before = undefined;
    await put(to, VICTIM, 'new');
    // Linux reports this if the file loses its last name while it is linked, although it has a successor.
    throw Object.assign(new Error('ENOENT, link'), { code: 'ENOENT', syscall: 'link' });
  };
  const item = { srcPath: `/${VICTIM}`, dstPath: '/copied' };
  const { data } = await call(to, 'batchCopyFile', { fileList: [item] });
  expect(data.fileList[0]?.code).toBeUndefined();
  expect(await contentOf(to, 'copied')).toBe('new');
});

describe('a repair', () => {
  beforeEach(async () => {
    await put(to, VICTIM, 'old');
    await writeFile(join(root, 'files', toDiskPath(key)), 'damaged');
  });

  test('keeps a file that is uploaded again just before it is set aside', async () => {
    let upload: Promise<unknown> | undefined;
    beforeTaking(() => {
      upload = put(to, VICTIM, 'new');
      return untilDoneOrQueued(upload);
    });
    const problems: string[] = [];
    await checkFileStore(root, { onProblem: ({ kind }) => problems.push(kind), repair: true });
    await upload;
    expect(problems).toEqual(['damaged']);
    expect(await contentOf(to, VICTIM)).toBe('new');
    expect(await problemsIn(root)).toEqual([]);
  });

  test('keeps a file that is uploaded again as soon as it is reported', async () => {
    let upload: Promise<unknown> = Promise.resolve();
    await checkFileStore(root, {
      onProblem: () => {
        upload = put(to, VICTIM, 'new');
      },
      repair: true,
    });
    await upload;
    expect(await contentOf(to, VICTIM)).toBe('new');
    expect(await problemsIn(root)).toEqual([]);
  });

  test('tolerates a deleted file', async () => {
    beforeTaking(() => untilDoneOrQueued(store.delete(key)));
    await checkFileStore(root, { onProblem: () => {}, repair: true });
    expect(await store.stat(key)).toBeUndefined();
  });
});
