import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeReadable } from '../support/readings.ts';
import { deleteFiles } from './delete-files.ts';

export const stDeleteAlone = defineCheck('ST-DELETE-ALONE', needsFiles, async (t: Trial) => {
  const sound = await storeReadable(t, 'sound.txt');
  await deleteFiles(t, sound.fileId);
  t.reach(!(await t.upload.read(sound.fileId)).found, 'a file alone is not deleted');
  const bad = await missingFileId(t);
  const cases = [
    { what: 'a missing file in the first place', toList: (a: string, b: string) => [bad, a, b] },
    { what: 'a missing file in the middle', toList: (a: string, b: string) => [a, bad, b] },
    { what: 'a missing file in the last place', toList: (a: string, b: string) => [a, b, bad] },
    {
      what: 'a strange file ID in the middle',
      toList: (a: string, b: string) => [a, 'no file has this name', b],
    },
  ];
  for (const [index, { what, toList }] of cases.entries()) {
    const a = await storeReadable(t, `${index}/a.txt`);
    const b = await storeReadable(t, `${index}/b.txt`);
    const reply = await t.storage.call('batchDelete', { fileList: toList(a.fileId, b.fileId) });
    const { status } = reply.received;
    t.expect(!reply.refused, `${what}: the call must not be refused with ${status}`, reply);
    if (reply.refused) continue;
    for (const { path, fileId } of [a, b]) {
      const { found } = await t.upload.read(fileId);
      t.expect(!found, `${what}: ${path} must be deleted, and it is still there`, reply);
    }
  }
});
