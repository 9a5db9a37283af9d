import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { toCopyItems } from '../support/copies.ts';
import { expectLists } from '../support/expect-lists.ts';
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
  await expectLists(
    t,
    'batchCopyFile',
    cases.map(({ what, orders }) => ({ what, fileList: toCopyItems(t, orders) })),
  );
});
