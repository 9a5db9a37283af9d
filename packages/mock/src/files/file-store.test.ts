import { expect, test } from 'vitest';
import { FileStore } from './file-store.ts';

const MAX = 10_000;

const create = () => new FileStore({ left: MAX }, Date.now);

const write = (store: FileStore, key: string, size: number) => {
  const draft = store.draft();
  if (!draft.append(Buffer.alloc(size))) {
    draft.discard();
    return undefined;
  }
  return draft.commit(key, 'text/plain');
};

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
  expect(store.get('k')?.content).toHaveLength(100);
});

test('empty files use space', () => {
  const store = create();
  let count = 0;
  while (write(store, String(count), 0)) count += 1;
  expect(count).toBeLessThan(20);
});
