import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';

export const stDeleteList = defineCheck('ST-DELETE-LIST', needsFiles, async (t: Trial) => {
  const store = async (name: string) => (await t.upload.store(name)).fileId;
  const missing = await missingFileId(t);
  const twice = await store('f.txt');
  const cases = [
    { what: 'one file', fileList: [await store('a.txt')] },
    { what: 'two files', fileList: [await store('b.txt'), await store('c.txt')] },
    {
      what: 'two files and a missing one',
      fileList: [await store('d.txt'), missing, await store('e.txt')],
    },
    { what: 'a missing file', fileList: [missing] },
    { what: 'one file twice', fileList: [twice, twice] },
  ];
  let judged = 0;
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call('batchDelete', { fileList });
    if (reply.data === undefined) continue;
    judged += 1;
    const entries = reply.data.fileList;
    const isList = Array.isArray(entries);
    t.expect(isList, `${what}: data.fileList must be an array, not ${show(entries)}`, reply);
    if (!isList) continue;
    const wanted = fileList.length;
    const counts = `${what}: the list must have ${wanted} entries, not ${entries.length}`;
    t.expect(entries.length === wanted, counts, reply);
    const areObjects = entries.every((entry) => Object(entry) === entry);
    t.expect(areObjects, `${what}: every entry must be an object`, reply);
  }
  t.reach(judged > 0, 'batchDelete gave no data');
});
