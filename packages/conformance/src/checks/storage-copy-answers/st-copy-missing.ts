import { defineCheck } from '../check.ts';
import { hasFailed } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectNothing, readPath, storeReadable } from '../support/readings.ts';
import { askForCopies } from './failing-copies.ts';

export const stCopyMissing = defineCheck('ST-COPY-MISSING', needsFiles, async (t) => {
  const deleted = await storeReadable(t, 'deleted.txt');
  const present = await storeReadable(t, 'folder/present.txt');
  await t.storage.list('batchDelete', [deleted.fileId]);
  const isGone = !(await readPath(t, deleted.path)).found;
  const missing = t.storage.path(`${t.uniqueName()}.missing`);
  const cases = [
    { what: 'a file that was never stored', from: missing, more: {} },
    {
      what: 'a move of a file that was never stored',
      from: missing,
      more: { removeOriginal: true },
    },
    { what: 'a folder, which is no file,', from: t.storage.path('folder'), more: {} },
    ...(isGone ? [{ what: 'a file that was deleted', from: deleted.path, more: {} }] : []),
  ];
  for (const [index, { what, from, more }] of cases.entries()) {
    const to = t.storage.path(`to-${index}.txt`);
    const { reply, entries } = await askForCopies(t, { from, to, ...more });
    const [entry = {}] = entries;
    t.expect(hasFailed(entry), `${what}: its copy must fail, not be ${show(entry)}`, reply);
    expectNothing(t, await readPath(t, to), `${what}: its destination`);
  }
  const to = `${present.path}.copy`;
  const beside = [
    { from: present.path, to },
    { from: missing, to: t.storage.path('beside.txt') },
  ];
  const { reply, entries } = await askForCopies(t, ...beside);
  const failed = entries.filter(hasFailed).length;
  t.expect(failed > 0, 'a missing file beside a present one: its copy must fail', reply);
});
