import { randomBytes } from 'node:crypto';
import type { StorageCall } from '@berth/server-stubs';
import { createMemoryStore, createStorage, type StorageCaller } from '@berth/storage';
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

test('no item is started once the caller has gone', async () => {
  const caller = new AbortController();
  const deleted: string[] = [];
  const { storage } = createStorage({
    blobs: {
      ...createMemoryStore(),
      async delete({ path }) {
        deleted.push(path);
        caller.abort();
        return true;
      },
    },
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: 'http://127.0.0.1',
    onError: expect.fail,
  });
  const call = { envId: 'dev', caller: { env: 'dev', id: 'me' }, signal: caller.signal };
  const fileList = ['a', 'b', 'c'].map((path) => `cloud://dev.files/${path}`);
  await storage.batchDelete({ fileList }, call as StorageCall<StorageCaller>);
  expect(deleted).toEqual(['a']);
});
