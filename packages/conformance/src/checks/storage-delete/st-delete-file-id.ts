import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { entriesOf, show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';

export const stDeleteFileId = defineCheck('ST-DELETE-FILE-ID', needsFiles, async (t: Trial) => {
  const store = async (name: string) => (await t.upload.store(name)).fileId;
  const missing = await missingFileId(t);
  const lists = [
    [await store('a.txt')],
    [await store('b.txt'), missing, await store('level/c.txt')],
    [missing],
  ];
  for (const fileList of lists) {
    const reply = await t.storage.call('batchDelete', { fileList });
    const list = reply.data?.fileList;
    const isList = Array.isArray(list) && list.length === fileList.length;
    t.reach(isList, 'batchDelete answered without an entry for each item');
    const entries = list.map(Object);
    for (const { fileID } of entries) {
      const isText = typeof fileID === 'string';
      t.expect(isText, `fileID of an entry must be a string, not ${show(fileID)}`, reply);
    }
    for (const fileId of fileList) {
      const count = entriesOf(entries, fileId).length;
      t.expect(count === 1, `one entry must have the fileID ${fileId}, not ${count}`, reply);
    }
  }
});
