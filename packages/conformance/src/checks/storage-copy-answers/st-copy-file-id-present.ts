import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { hasFailed } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForCopies } from './failing-copies.ts';

export const stCopyFileIdPresent = defineCheck(
  'ST-COPY-FILE-ID-PRESENT',
  needsFiles,
  async (t: Trial) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string, more = {}) => ({ from: path, to: t.storage.path(name), ...more });
    const cases = [
      { what: 'a copy', orders: [good('a.txt')] },
      { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
      { what: 'a copy onto an existing file', orders: [good('a.txt')] },
      { what: 'a move', orders: [good('d.txt', { removeOriginal: true })] },
    ];
    let judged = 0;
    for (const { what, orders } of cases) {
      const { reply, entries } = await askForCopies(t, ...orders);
      for (const entry of entries.filter((one) => !hasFailed(one))) {
        judged += 1;
        const isPresent = (entry.fileID ?? undefined) !== undefined;
        t.expect(isPresent, `${what}: the entry should have fileID`, reply);
      }
    }
    t.reach(judged > 0, 'no copy succeeded');
  },
);
