import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { entriesOf, show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks, storeForLinks } from './ask-for-links.ts';

export const stLinksAlone = defineCheck('ST-LINKS-ALONE', needsFiles, async (t: Trial) => {
  const { files, orders } = await storeForLinks(t, 'a.txt', 'b.txt');
  const good = await askForLinks(t, orders);
  const areGood = good.entries.every(({ code }) => code === 'SUCCESS');
  t.reach(areGood, 'good items alone do not get their links');
  const bad = { fileID: await missingFileId(t) };
  const strange = { fileID: 'no file has this name' };
  const [a, b] = orders;
  const cases = [
    { what: 'a missing file in the first place', fileList: [bad, a, b] },
    { what: 'a missing file in the middle', fileList: [a, bad, b] },
    { what: 'a missing file in the last place', fileList: [a, b, bad] },
    { what: 'two missing files around good ones', fileList: [bad, a, b, bad] },
    { what: 'a strange file ID in the middle', fileList: [a, strange, b] },
  ];
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call('batchGetTempUrls', { fileList });
    const { status } = reply.received;
    t.expect(!reply.refused, `${what}: the call must not be refused with ${status}`, reply);
    const list = reply.data?.fileList;
    if (reply.refused || !Array.isArray(list)) continue;
    for (const { fileId, path } of files) {
      const entries = entriesOf(list.map(Object), fileId);
      // That each entry has its fileID is ST-LINKS-FILE-ID.
      if (entries.length === 0 && list.length === fileList.length) continue;
      const [entry] = entries;
      const isLinked = entry?.code === 'SUCCESS' && typeof entry.tempFileURL === 'string';
      const came = entry === undefined ? 'no entry' : `the code ${show(entry.code)}`;
      t.expect(isLinked, `${what}: ${path} must get its link, not ${came}`, reply);
    }
  }
});
