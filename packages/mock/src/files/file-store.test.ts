import { expect, test } from 'vitest';
import { FileStore, memoryContents, Room } from './file-store.ts';

const MAX = 10_000;

const create = () => new FileStore(memoryContents, new Room(MAX), Date.now);

const write = (store: FileStore, key: string, size: number) => {
  const draft = store.draft();
  if (!draft.append(Buffer.alloc(size))) {
    draft.discard();
    return undefined;
  }
  return draft.commit(key, 'text/plain');
};

test('a draft is visible once it is committed, not before', () => {
  const store = create();
  const draft = store.draft();
  draft.append(Buffer.from('ab'));
  draft.append(Buffer.from('c'));
  expect(store.get('k') !== undefined).toBe(false);
  expect(draft.commit('k', 'text/plain')?.etag).toBe('"900150983cd24fb0d6963f7d28e17f72"');
  expect(store.get('k')?.content.bytes().toString()).toBe('abc');
});

test('a discarded draft releases its space', () => {
  const store = create();
  const draft = store.draft();
  expect(draft.append(Buffer.alloc(9_000))).toBe(true);
  expect(write(store, 'k', 2_000)).toBeUndefined();
  draft.discard();
  expect(write(store, 'k', 2_000)).toBeDefined();
});

test('deleted and replaced files release their space', () => {
  const store = create();
  for (let round = 0; round < 20; round += 1) {
    expect(write(store, 'k', 4_000)).toBeDefined();
  }
  expect(write(store, 'other', 4_900)).toBeDefined();
  expect(write(store, 'third', 1_000)).toBeUndefined();
  expect(store.delete('other')).toBe(true);
  expect(store.delete('other')).toBe(false);
  expect(write(store, 'third', 4_000)).toBeDefined();
});

test('a draft that does not fit with its key keeps the old file and reserves nothing', () => {
  const store = create();
  write(store, 'k', 100);
  expect(write(store, 'k2', 9_000)).toBeUndefined();
  expect(write(store, 'k3', 8_000)).toBeDefined();
  expect(store.get('k')?.content.bytes()).toHaveLength(100);
});

test('empty files use space', () => {
  const store = create();
  let count = 0;
  while (write(store, String(count), 0)) count += 1;
  expect(count).toBeLessThan(20);
});

test('copies use space, moves do not', () => {
  const store = create();
  write(store, 'a', 6_000);
  expect(store.copy('a', 'b', { move: false })).toBe(false);
  expect(store.copy('a', 'b', { move: true })).toBe(true);
  expect([store.get('a') !== undefined, store.get('b') !== undefined]).toEqual([false, true]);
  expect(store.copy('none', 'c', { move: false })).toBe(false);
});

test('a discarded draft accepts no more bytes', () => {
  const store = create();
  const draft = store.draft();
  draft.discard();
  expect(draft.append(Buffer.alloc(9_000))).toBe(false);
  expect(write(store, 'k', 9_000)).toBeDefined();
});
