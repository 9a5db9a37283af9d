import { randomBytes } from 'node:crypto';
import type { StorageCall } from '@berth/server-stubs';
import {
  type BlobKey,
  type BlobStore,
  createMemoryStore,
  createStorage,
  type StorageCaller,
  type StorageOptions,
  StoreUnavailableError,
} from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import { expect, test } from 'vitest';
import { runInOrder, type Touched } from '../src/batch.ts';

type Item = Touched & { readonly name: string };

/** Runs items that finish only when released, and records which have started. */
function start(items: readonly Item[]) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const all = runInOrder(
    items,
    (item) => item,
    ({ name }) => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    },
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    // Every item that could start has started once the queue is empty.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, end, all };
}

test('at most eight items run concurrently, with the results in order', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `item ${index}`);
  const { begun, end, all } = start(names.map((name) => ({ name, reads: ['a'], writes: [name] })));
  expect(begun).toEqual(names.slice(0, 8));
  await end('item 3');
  expect(begun).toEqual(names.slice(0, 9));
  for (const name of names) await end(name);
  expect(await all).toEqual(names);
});

test.each([
  [
    { reads: ['a'], writes: ['b'] },
    { reads: ['b'], writes: ['c'] },
  ],
  [{ reads: ['a'] }, { writes: ['a'] }],
  [{ writes: ['__proto__'] }, { writes: ['__proto__'] }],
])('an item waits for the earlier one that uses its file: %j, %j', async (first, second) => {
  const { begun, end } = start([
    { name: 'other', writes: ['x'] },
    { name: 'first', ...first },
    { name: 'second', ...second },
  ]);
  await end('other');
  expect(begun).toEqual(['other', 'first']);
  await end('first');
  expect(begun).toEqual(['other', 'first', 'second']);
});

/** Deletes three files in a batch, from a store with this function. */
function deleteThree(
  deleteFile: BlobStore['delete'],
  onError: StorageOptions['onError'],
  signal?: AbortSignal,
) {
  const { storage } = createStorage({
    blobs: { ...createMemoryStore(), delete: deleteFile },
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: 'http://127.0.0.1',
    onError,
  });
  const call = { envId: 'dev', caller: { env: 'dev', id: 'me' }, signal };
  const fileList = ['a', 'b', 'c'].map((path) => `cloud://dev.files/${path}`);
  return storage.batchDelete({ fileList }, call as StorageCall<StorageCaller>);
}

test('no item is started once the caller has gone', async () => {
  const caller = new AbortController();
  const deleted: string[] = [];
  const deleteFile = async ({ path }: BlobKey) => {
    deleted.push(path);
    caller.abort();
    return true;
  };
  await deleteThree(deleteFile, expect.fail, caller.signal);
  expect(deleted).toEqual(['a']);
});

test.each([
  ['every item', ''],
  ['some items', 'c'],
])('reports an error of the store once if it occurs for %s', async (_, intact) => {
  const errors: unknown[] = [];
  const deleteFile = async ({ path }: BlobKey) => {
    if (path === intact) return true;
    throw new StoreUnavailableError('The disk is full.');
  };
  const batch = deleteThree(deleteFile, (error) => errors.push(error));
  const [outcome] = await Promise.allSettled([batch]);
  expect(outcome.status).toBe(intact === '' ? 'rejected' : 'fulfilled');
  expect(errors).toEqual([new StoreUnavailableError('The disk is full.')]);
});
