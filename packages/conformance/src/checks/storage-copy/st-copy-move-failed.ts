import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { copy, hasFailed } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, readPath, storeReadable } from '../support/readings.ts';

export const stCopyMoveFailed = defineCheck('ST-COPY-MOVE-FAILED', needsFiles, async (t: Trial) => {
  const existing = await storeReadable(t, 'existing.txt', 'old');
  const other = await storeReadable(t, 'other.txt');
  const failing = [
    { what: 'onto an existing file with overwrite false', to: existing.path, overwrite: false },
    {
      what: 'to a path with a character that none may have',
      to: t.storage.path('not@allowed.txt'),
    },
  ];
  let judged = 0;
  const itself = await storeReadable(t, 'itself.txt');
  const { path, bytes } = itself;
  const [same] = await copy(t, { from: path, to: path, removeOriginal: true });
  if (same && hasFailed(same)) {
    expectBytes(t, await readPath(t, path), bytes, 'a move onto itself, which fails: the source');
  }
  for (const [index, { what, ...order }] of failing.entries()) {
    for (const [turn, beside] of [[], [{ from: other.path, to: `${other.path}.copy` }]].entries()) {
      const source = await storeReadable(t, `source-${index}-${turn}.txt`);
      const move = { from: source.path, ...order, removeOriginal: true };
      const entries = await copy(t, ...beside, move);
      // That such an item fails is another rule.
      if (!entries.some(hasFailed)) continue;
      judged += 1;
      const reading = await readPath(t, source.path);
      expectBytes(t, reading, source.bytes, `a move ${what}: the source`);
    }
  }
  t.reach(judged > 0, 'no move fails that must fail');
});
