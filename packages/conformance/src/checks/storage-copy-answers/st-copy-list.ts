import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { toCopyItems } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { failingCopies } from './failing-copies.ts';

export const stCopyList = defineCheck('ST-COPY-LIST', needsFiles, async (t: Trial) => {
  const { path } = await t.upload.store('source.txt');
  const good = (name: string) => ({ from: path, to: t.storage.path(name) });
  const bad = failingCopies(t, path, path).map(({ order }) => order);
  const cases = [
    { what: 'one copy', orders: [good('a.txt')] },
    { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
    {
      what: 'two copies and a bad item',
      orders: [good('d.txt'), ...bad.slice(0, 1), good('e.txt')],
    },
    { what: 'bad items alone', orders: bad },
    { what: 'one copy twice', orders: [good('f.txt'), good('f.txt')] },
  ];
  let judged = 0;
  for (const { what, orders } of cases) {
    const reply = await t.storage.call('batchCopyFile', { fileList: toCopyItems(t, orders) });
    if (reply.data === undefined) continue;
    judged += 1;
    const entries = reply.data.fileList;
    const isList = Array.isArray(entries);
    t.expect(isList, `${what}: data.fileList must be an array, not ${show(entries)}`, reply);
    if (!isList) continue;
    const wanted = orders.length;
    const counts = `${what}: the list must have ${wanted} entries, not ${entries.length}`;
    t.expect(entries.length === wanted, counts, reply);
    const areObjects = entries.every((entry) => Object(entry) === entry);
    t.expect(areObjects, `${what}: every entry must be an object`, reply);
  }
  t.reach(judged > 0, 'batchCopyFile gave no data');
});
