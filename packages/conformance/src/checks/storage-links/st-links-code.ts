import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks, storeForLinks } from './ask-for-links.ts';

export const stLinksCode = defineCheck('ST-LINKS-CODE', needsFiles, async (t: Trial) => {
  const { orders } = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
  for (const fileList of [orders.slice(0, 1), orders]) {
    const { reply, entries } = await askForLinks(t, fileList);
    for (const { code } of entries) {
      if (code !== 'SUCCESS') {
        // Where the IDs name no files, and nothing can be deleted, the fault is not in the links.
        const ids = fileList.map(({ fileID }) => fileID);
        const deleted = await t.storage.list('batchDelete', ids);
        t.reach(
          deleted.some((entry) => entry.code === 'SUCCESS'),
          'an upload stored nothing',
        );
      }
      const wanted = `the code of a file that exists must be "SUCCESS", not ${show(code)}`;
      t.expect(code === 'SUCCESS', wanted, reply);
    }
  }
  const { reply, entries } = await askForLinks(t, [{ fileID: await missingFileId(t) }]);
  for (const { code } of entries) {
    const isText = typeof code === 'string';
    t.expect(isText, `the code of a missing file must be a string, not ${show(code)}`, reply);
  }
});
