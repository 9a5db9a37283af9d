import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { canBeCopied } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { isStoredAtRoot } from './is-stored-at-root.ts';
import { postForm } from './post-form.ts';

export const upUrlVerbatim = defineCheck('UP-URL-VERBATIM', needsFiles, async (t: Trial) => {
  for (const name of ['file.txt', 'level/file.txt', 'file.txt']) {
    const bytes = Buffer.from('what is sent to the returned url');
    const { given, reply } = await postForm(t, name, bytes);
    const { found } = await t.upload.read(given.fileId);
    if (!found) {
      t.reach(!(await canBeCopied(t, given.path)), 'a file that was stored cannot be read');
      // Where no address takes a form, the fault is not in the address.
      t.reach(await isStoredAtRoot(t, name, bytes), 'no form is taken at all');
    }
    const { status } = reply.received;
    const wanted = `${name}: a form to the returned url, with its path and query, must be taken`;
    t.expect(found, `${wanted}, not answered with ${status} and left out`, reply);
  }
});
