import type { Trial } from '../../trial/trial.ts';
import { copy } from '../support/copies.ts';
import { expectBytes, readPath, storeReadable } from '../support/readings.ts';
import { storeCopyable } from '../support/store-copyable.ts';

/** Expects an existing destination to be overwritten, whether it was shorter or longer. */
export async function expectOverwritten(
  t: Trial,
  how: string,
  options: { overwrite?: boolean },
): Promise<void> {
  const source = await storeCopyable(t, 'source.txt');
  for (const [name, old] of [
    ['shorter.txt', 'old'],
    ['longer.txt', 'old '.repeat(100)],
  ] as const) {
    const { path } = await storeReadable(t, name, old);
    await copy(t, { from: source.path, to: path, ...options });
    const reading = await readPath(t, path);
    expectBytes(t, reading, source.bytes, `a copy ${how} onto ${name}: the destination`);
  }
}
