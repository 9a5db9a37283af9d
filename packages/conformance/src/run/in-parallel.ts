/** Returns the results in order of completion. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const waiting = [...items];
  const results: Value[] = [];
  const worker = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: max }, worker));
  return results;
}
