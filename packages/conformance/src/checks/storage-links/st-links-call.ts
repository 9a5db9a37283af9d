import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeForLinks } from './ask-for-links.ts';

export const stLinksCall = defineCheck('ST-LINKS-CALL', needsFiles, async (t) => {
  const { orders } = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
  for (const fileList of [orders.slice(0, 1), orders]) {
    const what = `batchGetTempUrls of ${fileList.length} files`;
    const reply = await t.storage.call('batchGetTempUrls', { fileList });
    const { status } = reply.received;
    t.expect(!reply.refused, `${what} must return links, not a refusal with ${status}`, reply);
    const entries = reply.data?.fileList;
    for (const entry of Array.isArray(entries) ? entries.map(Object) : []) {
      const { code, tempFileURL } = entry;
      // Other codes, and links that are no strings, are the subjects of other rules.
      if (code !== 'SUCCESS' || typeof tempFileURL !== 'string') continue;
      const isLink = /^https?:\/\/[^/?#]/i.test(tempFileURL) && URL.canParse(tempFileURL);
      t.expect(isLink, `${what}: a link must be an absolute URL, not ${show(tempFileURL)}`, reply);
    }
  }
});
