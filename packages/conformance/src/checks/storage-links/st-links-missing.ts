import { NetworkFault } from '../../http/network-fault.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { missingFileId } from '../support/missing-file-id.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks } from './ask-for-links.ts';

export const stLinksMissing = defineCheck('ST-LINKS-MISSING', needsFiles, async (t: Trial) => {
  const file = await t.upload.store('deleted.txt');
  await judge(t, 'a file that was never stored', await missingFileId(t), file.fileId);
  const shorter = await t.upload.fileIdOf(t.storage.path('deleted'));
  await judge(t, 'a path that a longer one begins with', shorter);
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
    const isThere = URL.canParse(link) && (await isFile(t, link));
    t.reach(!isThere, `${what} is still there`);
    t.expect(false, `${what}: the code of its entry must not be SUCCESS`, reply);
  }
}

/** A link to an address that does not answer leads to no file. */
async function isFile(t: Trial, link: string): Promise<boolean> {
  try {
    const { status } = (await t.upload.download(link)).received;
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof NetworkFault) return false;
    throw error;
  }
}
