import { BATCH_CONCURRENCY } from '../generated/contract.gen.ts';
import { mapLimit } from '../operations/list-call.ts';

/** Does the work of each item, a few at a time, and gives the outcomes in order. */
export function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  return mapLimit(items, BATCH_CONCURRENCY, async (item) => {
    const [outcome] = await Promise.allSettled([work(item)]);
    return outcome;
  });
}
