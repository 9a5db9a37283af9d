import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { entriesOf } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { askForLinks } from './ask-for-links.ts';

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('What a link\r\nmust return.\n') },
  { name: 'level/empty.bin', bytes: Buffer.alloc(0) },
  { name: 'large.bin', bytes: Buffer.from(Array.from({ length: 65_537 }, (_, at) => at % 251)) },
];

export const stLinksDownload = defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: Trial) => {
  const files = [];
  for (const { name, bytes } of CONTENTS) {
    const { fileId } = await t.upload.store(name, bytes);
    const { entries } = await askForLinks(t, [{ fileID: fileId }]);
    const [entry = entries[0]] = entriesOf(entries, fileId);
    const link = String(entry?.tempFileURL);
    if (entry?.code !== 'SUCCESS' || !URL.canParse(link)) continue;
    files.push({ name, bytes, fileId, link });
    for (const turn of ['first', 'second']) {
      await expectFile(t, `${name}, ${turn} GET of the link`, link, bytes);
    }
  }
  const [first] = files;
  t.reach(first !== undefined, 'batchGetTempUrls gave no link');
  const { entries } = await askForLinks(
    t,
    files.map(({ fileId }) => ({ fileID: fileId })),
  );
  for (const { name, bytes, fileId } of files) {
    const [entry] = entriesOf(entries, fileId);
    const link = String(entry?.tempFileURL);
    if (entry?.code !== 'SUCCESS' || !URL.canParse(link)) continue;
    await expectFile(t, `${name}, link of a call for several files`, link, bytes);
  }
  await expectFile(t, `${first.name}, link that is not the last one`, first.link, first.bytes);
});

async function expectFile(t: Trial, what: string, link: string, bytes: Buffer): Promise<void> {
  const exchange = await t.upload.download(link);
  const { status, body } = exchange.received;
  const isSuccess = status >= 200 && status <= 299;
  t.expect(isSuccess, `${what}: it must return the file, not ${status}`, exchange);
  if (!isSuccess) return;
  const wanted = `${what}: it must return the ${bytes.length} bytes of the file`;
  t.expect(body.equals(bytes), `${wanted}, not ${body.length} or other ones`, exchange);
}
