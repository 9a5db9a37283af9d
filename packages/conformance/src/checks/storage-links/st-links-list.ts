import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeForLinks } from './ask-for-links.ts';

export const stLinksList = defineCheck('ST-LINKS-LIST', needsFiles, async (t: Trial) => {
  const { orders } = await storeForLinks(t, 'a.txt', 'b.txt');
  const [a, b] = orders;
  const missing = { fileID: await missingFileId(t) };
  const cases = [
    { what: 'one file', fileList: [a] },
    { what: 'two files', fileList: [a, b] },
    { what: 'two files and a missing one', fileList: [a, missing, b] },
    { what: 'a missing file', fileList: [missing] },
    { what: 'one file twice', fileList: [a, a] },
  ];
  let judged = 0;
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call('batchGetTempUrls', { fileList });
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
  t.reach(judged > 0, 'batchGetTempUrls gave no data');
});
