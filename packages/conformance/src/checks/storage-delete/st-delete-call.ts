import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectNothing, readPath, storeReadable } from '../support/readings.ts';

export const stDeleteCall = defineCheck('ST-DELETE-CALL', needsFiles, async (t) => {
  for (const names of [['alone.txt'], ['a.txt', 'level/b.txt', 'c']]) {
    const files = [];
    for (const name of names) {
      const file = await storeReadable(t, name);
      const [entry] = await t.storage.list('batchGetTempUrls', [{ fileID: file.fileId }]);
      const link = String(entry?.tempFileURL);
      // A cache that has seen the file must not keep it.
      if (URL.canParse(link)) await t.upload.download(link);
      files.push({ ...file, name, link });
    }
    const fileList = files.map(({ fileId }) => fileId);
    const reply = await t.storage.call('batchDelete', { fileList });
    const what = `batchDelete of ${names.length} files`;
    const { status } = reply.received;
    t.expect(!reply.refused, `${what} must not be refused with ${status}`, reply);
    if (reply.refused) continue;
    for (const { name, fileId, path, link, bytes } of files) {
      expectNothing(t, await t.upload.read(fileId), `${what}: ${name}, by its file ID,`);
      expectNothing(t, await readPath(t, path), `${what}: ${name}, by its path,`);
      const exchange = await t.upload.download(link);
      const { received } = exchange;
      const works = received.status >= 200 && received.status <= 299 && received.body.equals(bytes);
      t.expect(!works, `${what}: a link to ${name} must not work any more`, exchange);
    }
  }
});
