import { expect } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { readAll, toStream } from './blob-contents.ts';
import type { Child } from './children/start-child.ts';

/**
 * Two processes copy to the same places without overwriting: at each place one succeeds, and its file
 * remains.
 *
 * @param startRacer starts a process that calls `race` with this source
 */
export async function expectOneWinner(
  store: BlobStore,
  places: number,
  startRacer: (source: string) => Child,
): Promise<void> {
  const racers = await Promise.all(
    ['red', 'blue'].map(async (path) => {
      const content = toStream(Buffer.from(path));
      await store.write({ env: 'dev', path }, content, { contentType: 'a/b' });
      const child = startRacer(path);
      const lines = child.lines[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('ready');
      return { path, child, lines };
    }),
  );
  for (const { child } of racers) child.process.stdin?.write('go');
  const winners = new Map<number, string[]>();
  for (const { path, lines } of racers) {
    const won: number[] = JSON.parse((await lines.next()).value);
    for (const place of won) winners.set(place, [...(winners.get(place) ?? []), path]);
  }

  expect(winners.size).toBe(places);
  for (const [place, paths] of winners) {
    const content = await readAll(store, { env: 'dev', path: `place/${place}` });
    expect(paths).toEqual([content?.toString()]);
  }
}
