import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { storeForLinks } from './ask-for-links.ts';

export const stLinksItemFileId = defineCheck(
  'ST-LINKS-ITEM-FILE-ID',
  needsFiles,
  async (t: Trial) => {
    const { orders } = await storeForLinks(t, 'file.txt');
    const [good] = orders;
    const sound = await t.storage.call('batchGetTempUrls', { fileList: [good] });
    t.reach(!sound.refused, 'a call with a fileID in its item is refused');
    const maxAge = t.storage.maxAge(60);
    const cases = [
      { what: 'an empty item', fileList: [{}] },
      { what: 'an item with maxAge alone', fileList: [{ maxAge }] },
      { what: 'a good item and then one without fileID', fileList: [good, { maxAge }] },
      { what: 'an item without fileID and then a good one', fileList: [{}, good] },
    ];
    for (const { what, fileList } of cases) {
      const reply = await t.storage.call(
        'batchGetTempUrls',
        { fileList },
        { acceptsRefusal: true },
      );
      const { status } = reply.received;
      const isRefused = reply.refused && status < 500;
      t.expect(isRefused, `${what}: the call must be refused, not answered with ${status}`, reply);
    }
  },
);
