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

test('items that touch different files run concurrently', async () => {
  const { begun, end, all } = start([
    { name: 'first', writes: ['a'] },
    { name: 'second', writes: ['b'] },
  ]);
  expect(begun).toEqual(['first', 'second']);
  await end('second');
  await end('first');
  expect(await all).toEqual(['first', 'second']);
});

test('an item waits for the earlier one that writes what it reads', async () => {
  const { begun, end } = start([
    { name: 'a to b', reads: ['a'], writes: ['b'] },
    { name: 'b to c', reads: ['b'], writes: ['c'] },
    { name: 'a to d', reads: ['a'], writes: ['d'] },
  ]);
  expect(begun).toEqual(['a to b', 'a to d']);
  await end('a to b');
  expect(begun).toEqual(['a to b', 'a to d', 'b to c']);
});

test('an item waits for all earlier ones that read what it writes', async () => {
  const { begun, end } = start([
    { name: 'first', reads: ['a'] },
    { name: 'second', reads: ['a'] },
    { name: 'third', writes: ['a'] },
    { name: 'fourth', reads: ['a'] },
  ]);
  expect(begun).toEqual(['first', 'second']);
  await end('second');
  expect(begun).toEqual(['first', 'second']);
  await end('first');
  expect(begun).toEqual(['first', 'second', 'third']);
  await end('third');
  expect(begun).toEqual(['first', 'second', 'third', 'fourth']);
});

test('at most eight items run concurrently', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `item ${index}`);
  const { begun, end } = start(names.map((name) => ({ name, writes: [name] })));
  expect(begun).toEqual(names.slice(0, 8));
  await end('item 3');
  expect(begun).toEqual(names.slice(0, 9));
});

test('a file may be named like a member of every object', async () => {
  const { begun } = start([
    { name: 'first', writes: ['__proto__'] },
    { name: 'second', reads: ['constructor'] },
    { name: 'third', writes: ['__proto__'] },
  ]);
  expect(begun).toEqual(['first', 'second']);
});
