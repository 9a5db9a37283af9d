import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { readPath, storeReadable } from '../support/readings.ts';
import { deleteFiles } from './delete-files.ts';

export const stDeleteCode = defineCheck('ST-DELETE-CODE', needsFiles, async (t: Trial) => {
  for (const names of [['alone.txt'], ['a.txt', 'level/b.txt', 'c']]) {
    const files = [];
    for (const name of names) files.push(await storeReadable(t, name));
    const reply = await t.storage.call('batchDelete', {
      fileList: files.map(({ fileId }) => fileId),
    });
    const list = reply.data?.fileList;
    const isList = Array.isArray(list) && list.length === names.length;
    t.reach(isList, 'batchDelete answered without an entry for each item');
    for (const { code } of list.map(Object)) {
      if (code !== 'SUCCESS') {
        // That a file was not deleted is the subject of ST-DELETE-CALL.
        for (const { path } of files) {
          t.reach(!(await readPath(t, path)).found, 'a file was not deleted');
        }
      }
      const wanted = `the code of a file that was deleted must be "SUCCESS", not ${show(code)}`;
      t.expect(code === 'SUCCESS', wanted, reply);
    }
  }
  for (const { code } of await deleteFiles(t, await missingFileId(t))) {
    const isText = typeof code === 'string';
    t.expect(isText, `the code of a missing file must be a string, not ${show(code)}`);
  }
});
