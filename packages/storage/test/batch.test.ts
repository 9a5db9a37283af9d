import { randomBytes } from 'node:crypto';
import type { StorageCall } from '@berth/server-stubs';
import {
  type BlobKey,
  type BlobStore,
  createMemoryStore,
  createStorage,
  type FileChange,
  SourceKeptError,
  type StorageCaller,
  type StorageOptions,
  StoreUnavailableError,
} from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import { expect, test } from 'vitest';

const toFileID = (path: string) => `cloud://dev.files/${path}`;

/** The operations on a store with these methods, and a call to pass to them. */
function create(
  methods: Partial<BlobStore>,
  options: Partial<StorageOptions> = {},
  { signal } = new AbortController(),
) {
  const { storage } = createStorage({
    blobs: { ...createMemoryStore(), ...methods },
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: 'http://127.0.0.1',
    onError: expect.fail,
    ...options,
  });
  const call = { env: 'dev', caller: { env: 'dev', id: 'me' }, requestId: '1', signal };
  return { ...storage, call: call as StorageCall<StorageCaller> };
}

/** Copies files in a batch: `source destination`. Each copy finishes only when it is released. */
function start(copies: readonly string[]) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const { batchCopyFile, call } = create({
    copy(_, { path }) {
      started.push(path);
      const info = { size: 1, etag: '1', contentType: 'text/plain' };
      return new Promise((resolve) => ends.set(path, () => resolve(info)));
    },
  });
  const fileList = copies.map((copy) => {
    const [srcPath = '', dstPath = '', move] = copy.split(' ');
    return { srcPath, dstPath, removeOriginal: move !== undefined };
  });
  const all = Promise.resolve(batchCopyFile({ fileList }, call));
  const end = async (name: string) => {
    ends.get(name)?.();
    // Every copy that could start has started once the queue is empty.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, end, all };
}

test('at most eight items run concurrently, with the results in order', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `item-${index}`);
  const { started, end, all } = start(names.map((name) => `a ${name}`));
  expect(started).toEqual(names.slice(0, 8));
  await end('item-3');
  expect(started).toEqual(names.slice(0, 9));
  for (const name of names) await end(name);
  expect(await all).toEqual({ fileList: names.map((name) => ({ fileID: toFileID(name) })) });
});

test.each([
  ['a b', 'b c'],
  ['a b', 'c a'],
  ['a b move', 'a c'],
  ['a __proto__', 'b __proto__'],
])('a copy waits for the earlier one that uses its file: %s, %s', async (first, second) => {
  const { started, end } = start(['x other', first, second]);
  const [, before = ''] = first.split(' ');
  const [, after] = second.split(' ');
  await end('other');
  expect(started).toEqual(['other', before]);
  await end(before);
  expect(started).toEqual(['other', before, after]);
});

/** Deletes three files in a batch, from a store with this function. */
function deleteThree(
  deleteFile: BlobStore['delete'],
  onError: StorageOptions['onError'],
  controller?: AbortController,
) {
  const { batchDelete, call } = create({ delete: deleteFile }, { onError }, controller);
  return batchDelete({ fileList: ['a', 'b', 'c'].map(toFileID) }, call);
}

test('no item is started once the caller has gone', async () => {
  const caller = new AbortController();
  const deleted: string[] = [];
  const deleteFile = async ({ path }: BlobKey) => {
    deleted.push(path);
    caller.abort();
    return true;
  };
  await deleteThree(deleteFile, expect.fail, caller);
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

test('a move that keeps its source fails, but its copy is a change', async () => {
  const changes: FileChange[] = [];
  const errors: unknown[] = [];
  const info = { size: 5, etag: '1', contentType: 'text/plain' };
  const failure = new SourceKeptError(info, new StoreUnavailableError('The disk failed.'));
  const { batchCopyFile, call } = create(
    { copy: () => Promise.reject(failure) },
    { onChange: (change) => changes.push(change), onError: (error) => errors.push(error) },
  );
  const fileList = [{ srcPath: 'a', dstPath: 'b', removeOriginal: true }];
  const code = 'SERVICE_UNAVAILABLE';
  const message = 'The file was copied, but the source could not be removed.';
  expect(await batchCopyFile({ fileList }, call)).toEqual({ fileList: [{ code, message }] });
  const change = { env: 'dev', path: 'b', from: 'a', bytes: 5, caller: 'me', requestId: '1' };
  expect(changes).toEqual([{ action: 'copy', ...change }]);
  expect(errors).toEqual([failure]);
});
