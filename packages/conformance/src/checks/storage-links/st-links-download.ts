import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { entriesOf } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks } from './ask-for-links.ts';

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('What a link must return.\n') },
  { name: 'level/empty.bin', bytes: Buffer.alloc(0) },
  { name: 'large.bin', bytes: Buffer.from(Array.from({ length: 65_537 }, (_, at) => at % 251)) },
];

export const stLinksDownload = defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: Trial) => {
  let judged = 0;
  for (const { name, bytes } of CONTENTS) {
    const { fileId } = await t.upload.store(name, bytes);
    const { entries } = await askForLinks(t, [{ fileID: fileId }]);
    const [entry = entries[0]] = entriesOf(entries, fileId);
    const link = String(entry?.tempFileURL);
    if (entry?.code !== 'SUCCESS' || !URL.canParse(link)) continue;
    judged += 1;
    for (const turn of ['first', 'second']) {
      const exchange = await t.upload.download(link);
      const { status, body } = exchange.received;
      const what = `${name}, ${turn} GET of the link`;
      const isSuccess = status >= 200 && status <= 299;
      t.expect(isSuccess, `${what}: it must return the file, not ${status}`, exchange);
      if (!isSuccess) continue;
      const wanted = `${what}: it must return the ${bytes.length} bytes of the file`;
      t.expect(body.equals(bytes), `${wanted}, not ${body.length} or other ones`, exchange);
    }
  }
  t.reach(judged > 0, 'batchGetTempUrls gave no link');
});
