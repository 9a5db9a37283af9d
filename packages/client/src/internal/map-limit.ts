import { assertInteger } from './assert-integer.ts';

/** Runs `run` on each item, at most `limit` at a time, and gives the results in the items' order. */
export async function mapLimit<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  assertInteger('concurrency', limit, 1);
  const results: Result[] = [];
  // All workers draw from one iterator, so that each item is taken once.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
