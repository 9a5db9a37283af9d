import type { Trial } from '../../trial/trial.ts';
import { copy } from '../support/copies.ts';
import { expectBytes, readPath, storeReadable } from '../support/readings.ts';
import { storeCopyable } from '../support/store-copyable.ts';

/** Expects existing destinations to be overwritten, shorter and longer ones, by copies and by a move. */
export async function expectOverwritten(
  t: Trial,
  how: string,
  options: { overwrite?: boolean },
): Promise<void> {
  const source = await storeCopyable(t, 'source.txt');
  const shorter = await storeReadable(t, 'shorter.txt', 'old');
  const longer = await storeReadable(t, 'longer.txt', 'old '.repeat(100));
  const moved = await storeReadable(t, 'moved.txt', 'old');
  const from = source.path;
  const both = [shorter, longer].map(({ path: to }) => ({ from, to, ...options }));
  const calls = [
    { what: 'two copies', orders: both },
    { what: 'a move', orders: [{ from, to: moved.path, removeOriginal: true, ...options }] },
  ];
  for (const { what, orders } of calls) {
    await copy(t, ...orders);
    for (const { to } of orders) {
      const reading = await readPath(t, to);
      const name = to.slice(to.lastIndexOf('/') + 1);
      expectBytes(t, reading, source.bytes, `${what} ${how} onto ${name}: the destination`);
    }
  }
}
