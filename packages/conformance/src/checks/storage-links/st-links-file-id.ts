import { defineCheck } from '../check.ts';
import { entriesOf, show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks, storeForLinks } from './ask-for-links.ts';

export const stLinksFileId = defineCheck('ST-LINKS-FILE-ID', needsFiles, async (t) => {
  const { orders } = await storeForLinks(t, 'A.txt', 'level/b.TXT');
  const missing = { fileID: await missingFileId(t) };
  for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
    const { reply, entries } = await askForLinks(t, fileList);
    for (const { fileID } of entries) {
      const isText = typeof fileID === 'string';
      t.expect(isText, `fileID of an entry must be a string, not ${show(fileID)}`, reply);
    }
    for (const { fileID } of fileList) {
      const count = entriesOf(entries, fileID).length;
      t.expect(count === 1, `one entry must have the fileID ${fileID}, not ${count}`, reply);
    }
  }
});
