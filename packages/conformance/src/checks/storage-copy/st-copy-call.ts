import type { Trial } from '../../trial/trial.ts';
import type { StoredFile } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { toCopyItems } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, hasBytes, readPath, storeReadable } from '../support/readings.ts';

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('What is copied.\n') },
  { name: 'empty.bin', bytes: Buffer.alloc(0) },
  { name: 'level/bytes.bin', bytes: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
];

export const stCopyCall = defineCheck('ST-COPY-CALL', needsFiles, async (t: Trial) => {
  const files = [];
  for (const { name, bytes } of CONTENTS) {
    files.push({ name, ...(await storeReadable(t, name, bytes)) });
  }
  const alone = { name: 'alone.txt', ...(await storeReadable(t, 'alone.txt')) };
  for (const sources of [[alone], files]) {
    const what = `batchCopyFile of ${sources.length} files`;
    const orders = sources.map(({ name, path }) => ({
      from: path,
      to: t.storage.path(`to-${sources.length}/${name}`),
    }));
    const fileList = toCopyItems(t, orders);
    const reply = await t.storage.call('batchCopyFile', { fileList });
    const { status } = reply.received;
    t.expect(!reply.refused, `${what} must not be refused with ${status}`, reply);
    for (const [index, { to }] of reply.refused ? [] : orders.entries()) {
      const { name, bytes } = sources[index] as (typeof sources)[number];
      const reading = await readPath(t, to);
      if (!hasBytes(reading, bytes)) await assertNotOfForm(t, sources[index] as StoredFile);
      expectBytes(t, reading, bytes, `${what}: the copy of ${name}`);
    }
  }
});

/** A target that copies, but wants paths without the leading `/`, breaks ST-COPY-PATH-ABSOLUTE alone. */
async function assertNotOfForm(t: Trial, { path, bytes }: StoredFile): Promise<void> {
  const to = `${path}.relative`;
  t.upload.track(to);
  const items = [{ srcPath: path, dstPath: to }];
  const reply = await t.storage.call('batchCopyFile', { fileList: items });
  const works = !reply.refused && hasBytes(await readPath(t, to), bytes);
  const isOther = t.settings.copyPath === 'absolute' && works;
  if (!isOther) return;
  const absolute = toCopyItems(t, [{ from: path, to: `${path}.absolute` }]);
  await t.storage.call('batchCopyFile', { fileList: absolute });
  const isCopied = hasBytes(await readPath(t, `${path}.absolute`), bytes);
  t.reach(isCopied, 'only paths without the leading / are copied');
}
