import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { canBeCopied } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, expectNothing, hasBytes, readPath } from '../support/readings.ts';

export const upFileId = defineCheck('UP-FILE-ID', needsFiles, async (t: Trial) => {
  for (const name of ['file.txt', 'level/deeper/no-extension']) {
    const { path, fileId, bytes } = await t.upload.store(name);
    const reading = await t.upload.read(fileId);
    if (!hasBytes(reading, bytes)) {
      // Where links work for no ID of the file, or nothing was stored, the fault is not in the ID.
      const byPath = hasBytes(await readPath(t, path), bytes);
      t.reach(byPath || (await canBeCopied(t, path)), 'an upload stored nothing');
      const [entry] = await t.storage.list('batchDelete', [fileId]);
      t.reach(entry?.code !== 'SUCCESS', 'a file that exists gets no link');
    }
    expectBytes(t, reading, bytes, `the file that the fileID of step 1 names, ${name},`);
    if (!hasBytes(reading, bytes)) continue;
    await t.storage.list('batchDelete', [fileId]);
    const after = await readPath(t, path);
    expectNothing(t, after, `${name}, deleted by the fileID of step 1,`);
  }
});
