import { defineCheck } from '../check.ts';
import { hasFailed } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, storeReadable } from '../support/readings.ts';
import { askForCopies, failingCopies } from './failing-copies.ts';

export const stCopyFileId = defineCheck('ST-COPY-FILE-ID', needsFiles, async (t) => {
  const file = await storeReadable(t, 'source.txt');
  const [missing] = failingCopies(t, file.path, file.path);
  const good = (name: string) => ({ from: file.path, to: t.storage.path(name) });
  let seen = 0;
  for (const orders of [
    [good('a.txt')],
    [good('b.txt'), good('level/c.txt')],
    missing ? [missing.order] : [],
  ]) {
    const { reply, entries } = await askForCopies(t, ...orders);
    for (const entry of entries) {
      const { fileID } = entry;
      const isText = fileID === undefined || typeof fileID === 'string';
      t.expect(isText, `fileID of an entry must be a string, not ${show(fileID)}`, reply);
      if (typeof fileID !== 'string' || hasFailed(entry)) continue;
      seen += 1;
      const reading = await t.upload.read(fileID);
      expectBytes(t, reading, file.bytes, `the file that the entry's fileID ${fileID} names`);
    }
  }
  if (seen === 0) t.note('No entry of a copy has a fileID.');
});
