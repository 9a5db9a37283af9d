import { expect, test } from 'vitest';
import { createMemoryStore, FileTooLargeError } from '../src/index.ts';

const key = (path: string) => ({ env: 'dev', path });
const contentType = 'text/plain';

async function* chunks(...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size);
}

test('files and unfinished uploads share the limit, and a rejected upload leaves nothing behind', async () => {
  const store = createMemoryStore({ maxBytes: 3_000 });
  await store.write(key('a'), chunks(500, 500), { contentType });
  async function* other() {
    yield new Uint8Array(1_000);
    await expect(
      store
        .write(key('b'), chunks(500), { contentType })
        .then(() => store.copy(key('a'), key('c'), { overwrite: true })),
    ).rejects.toThrow(FileTooLargeError);
    await store.delete(key('b'));
    yield new Uint8Array(1_000);
  }
  await expect(store.write(key('a'), other(), { contentType })).rejects.toThrow(FileTooLargeError);
  expect(store.list().map(({ key: { path }, info }) => [path, info.size])).toEqual([['a', 1_000]]);
  expect(() => store.put(key('b'), new Uint8Array(1_000), contentType)).toThrow(FileTooLargeError);
  store.put(key('b'), new Uint8Array(900), contentType);
});

test('a move and a replacement need no space for a second file', async () => {
  const store = createMemoryStore({ maxBytes: 1_600 });
  store.put(key('a'), new Uint8Array(1_000), contentType);
  await store.copy(key('a'), key('b'), { overwrite: false, move: true });
  store.put(key('b'), new Uint8Array(1_050), contentType);
  store.clear();
  store.put(key('c'), new Uint8Array(1_050), contentType);
});

test('environments share no files, whatever their names contain', () => {
  const store = createMemoryStore();
  store.put({ env: 'a/b', path: 'c' }, new Uint8Array(1), contentType);
  expect(store.get({ env: 'a', path: 'b/c' })).toBeUndefined();
});
