import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks } from './ask-for-links.ts';

export const stLinksMissing = defineCheck('ST-LINKS-MISSING', needsFiles, async (t: Trial) => {
  const file = await t.upload.store('deleted.txt');
  await judge(t, 'a file that was never stored', await missingFileId(t), file.fileId);
  await t.storage.list('batchDelete', [file.fileId]);
  await judge(t, 'a file that was deleted', file.fileId);
});

async function judge(t: Trial, what: string, fileID: string, present?: string): Promise<void> {
  for (const others of [[], present === undefined ? [] : [present]]) {
    const fileList = [{ fileID }, ...others.map((id) => ({ fileID: id }))];
    const { reply, entries } = await askForLinks(t, fileList);
    const count = entries.filter(({ code }) => code === 'SUCCESS').length;
    if (count <= others.length) {
      t.expect(true, what);
      continue;
    }
    const wrong = entries.find((entry) => entry.fileID === fileID) ?? entries[0];
    // Where the link returns a file, it is not missing: that it was not deleted is another rule.
    const link = String(wrong?.tempFileURL);
    const isThere = URL.canParse(link) && (await t.upload.download(link)).received.status === 200;
    t.reach(!isThere, `${what} is still there`);
    t.expect(false, `${what}: the code of its entry must not be SUCCESS`, reply);
  }
}
