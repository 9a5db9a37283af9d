import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks, storeForLinks } from './ask-for-links.ts';

export const stLinksUrl = defineCheck('ST-LINKS-URL', needsFiles, async (t) => {
  const { orders } = await storeForLinks(t, 'a.txt', 'b.txt');
  const missing = { fileID: await missingFileId(t) };
  for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
    const { reply, entries } = await askForLinks(t, fileList);
    for (const { code, tempFileURL } of entries) {
      const what = `tempFileURL of an entry with the code ${show(code)}`;
      const isText = typeof tempFileURL === 'string';
      t.expect(isText, `${what} must be a string, not ${show(tempFileURL)}`, reply);
    }
  }
});
