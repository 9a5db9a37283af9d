import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import type { CopyOrder } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { hasBytes, readPath, storeReadable } from '../support/readings.ts';
import { askForCopies } from './failing-copies.ts';

export const stCopySucceeded = defineCheck('ST-COPY-SUCCEEDED', needsFiles, async (t: Trial) => {
  const { path, bytes } = await storeReadable(t, 'source.txt');
  const good = (name: string, more: Partial<CopyOrder> = {}) => ({
    ...{ from: path, to: t.storage.path(name) },
    ...more,
  });
  const cases = [
    { what: 'a copy', orders: [good('a.txt')] },
    { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
    { what: 'a copy with overwrite false', orders: [good('d.txt', { overwrite: false })] },
    { what: 'a move', orders: [good('e.txt', { removeOriginal: true })] },
  ];
  let judged = 0;
  for (const { what, orders } of cases) {
    const { reply, entries } = await askForCopies(t, ...orders);
    const readings = [];
    for (const { to } of orders) readings.push(await readPath(t, to));
    // Only where the copies were made the entries must say so; that they are made is another rule.
    if (!readings.every((reading) => hasBytes(reading, bytes))) continue;
    judged += 1;
    for (const { code, message } of entries) {
      t.expect(code === undefined, `${what}: there must be no code, not ${show(code)}`, reply);
      const isSilent = message === undefined;
      t.expect(isSilent, `${what}: there must be no message, not ${show(message)}`, reply);
    }
  }
  t.reach(judged > 0, 'no copy was made');
});
