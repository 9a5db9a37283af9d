import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { hasFailed } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForCopies, failingCopies } from './failing-copies.ts';

export const stCopyFailed = defineCheck('ST-COPY-FAILED', needsFiles, async (t: Trial) => {
  const source = await t.upload.store('source.txt');
  const existing = await t.upload.store('existing.txt');
  const good = { from: source.path, to: `${source.path}.copy` };
  let judged = 0;
  for (const { what, order } of failingCopies(t, source.path, existing.path)) {
    for (const orders of [[order], [good, order]]) {
      const { reply, entries } = await askForCopies(t, ...orders);
      // That such an item fails at all is another rule.
      for (const { code, message } of entries.filter(hasFailed)) {
        judged += 1;
        const isCode = typeof code === 'string';
        t.expect(isCode, `${what}: code must be a string, not ${show(code)}`, reply);
        const isMessage = typeof message === 'string';
        t.expect(isMessage, `${what}: message must be a string, not ${show(message)}`, reply);
      }
    }
  }
  t.reach(judged > 0, 'no copy fails that must fail');
});
