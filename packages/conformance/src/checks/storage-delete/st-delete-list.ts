import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectLists } from '../support/expect-lists.ts';
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
  await expectLists(t, 'batchDelete', cases);
});
