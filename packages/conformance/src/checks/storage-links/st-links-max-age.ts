import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { type LinkOrder, storeForLinks } from './ask-for-links.ts';

/** Lifetimes that are tried, in seconds: which ones a deployment takes is its own (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];

export const stLinksMaxAge = defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t: Trial) => {
  const { orders } = await storeForLinks(t, 'file.txt', 'other.txt');
  const [one = { fileID: '' }, other = { fileID: '' }] = orders;
  const ask = async (...fileList: LinkOrder[]) => {
    const reply = await t.storage.call('batchGetTempUrls', { fileList });
    const entries: unknown[] = [reply.data?.fileList ?? []].flat();
    const linked = entries.map(Object).filter(({ code }) => code === 'SUCCESS').length;
    return { reply, works: linked === fileList.length };
  };
  const without = await ask(one);
  let maxAge = 0;
  let alone = without;
  for (const seconds of LIFETIMES) {
    maxAge = t.storage.maxAge(seconds);
    alone = await ask({ ...one, maxAge });
    if (alone.works) break;
  }
  // Where neither gets a link, or two items never do, the fault is not here.
  t.reach(without.works || alone.works, 'batchGetTempUrls gives no link at all');
  t.expect(without.works, 'an item without maxAge must get its link', without.reply);
  t.expect(alone.works, `an item with maxAge ${maxAge} must get its link`, alone.reply);
  if (!(await ask(one, other)).works) return;
  const cases = [
    { what: 'in the first item', fileList: [{ ...one, maxAge }, other] },
    { what: 'in the second item', fileList: [one, { ...other, maxAge }] },
  ];
  for (const { what, fileList } of cases) {
    const { reply, works } = await ask(...fileList);
    t.expect(works, `maxAge ${maxAge} ${what} of two: both must get their links`, reply);
  }
});
