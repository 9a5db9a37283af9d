import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectLists } from '../support/expect-lists.ts';
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
  await expectLists(t, 'batchGetTempUrls', cases);
});
