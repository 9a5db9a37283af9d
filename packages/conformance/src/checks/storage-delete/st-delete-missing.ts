import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { readPath, storeReadable } from '../support/readings.ts';
import { deleteFiles } from './delete-files.ts';

export const stDeleteMissing = defineCheck('ST-DELETE-MISSING', needsFiles, async (t: Trial) => {
  const missing = await missingFileId(t);
  await judge(t, 'a file that was never stored', missing);
  await judge(t, 'the same file, deleted once more', missing);

  const deleted = await storeReadable(t, 'deleted.txt');
  await deleteFiles(t, deleted.fileId);
  t.reach(!(await readPath(t, deleted.path)).found, 'a file was not deleted');
  await judge(t, 'a file that was deleted before', deleted.fileId);

  const present = await t.upload.store('present.txt');
  await judge(
    t,
    'a file that was deleted before, beside another one',
    deleted.fileId,
    present.fileId,
  );
});

async function judge(t: Trial, what: string, fileId: string, ...present: string[]): Promise<void> {
  const entries = await deleteFiles(t, fileId, ...present);
  const count = entries.filter(({ code }) => code === 'SUCCESS').length;
  t.expect(count <= present.length, `${what}: the code of its entry must not be SUCCESS`);
}
