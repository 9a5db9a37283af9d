import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeForLinks } from './ask-for-links.ts';

export const stLinksMaxAge = defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t: Trial) => {
  const { orders } = await storeForLinks(t, 'file.txt', 'other.txt');
  const [one = { fileID: '' }, other = { fileID: '' }] = orders;
  const [minute, hour] = [t.storage.maxAge(60), t.storage.maxAge(3600)];
  const cases = [
    { what: 'without maxAge', fileList: [one] },
    { what: `with maxAge ${minute}`, fileList: [{ ...one, maxAge: minute }] },
    { what: `with maxAge ${hour}`, fileList: [{ ...one, maxAge: hour }] },
    { what: 'with maxAge in the first item', fileList: [{ ...one, maxAge: minute }, other] },
    { what: 'with maxAge in the second item', fileList: [one, { ...other, maxAge: minute }] },
  ];
  const outcomes = [];
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call('batchGetTempUrls', { fileList });
    const entries = reply.data?.fileList;
    const linked = Array.isArray(entries)
      ? entries.map(Object).filter(({ code }) => code === 'SUCCESS').length
      : 0;
    outcomes.push({ what, reply, works: linked === fileList.length });
  }
  // Where neither with nor without it any link is given, the fault is not here.
  t.reach(
    outcomes.some(({ works }) => works),
    'batchGetTempUrls gives no links at all',
  );
  for (const { what, reply, works } of outcomes) {
    t.expect(works, `items ${what} must get their links`, reply);
  }
});
