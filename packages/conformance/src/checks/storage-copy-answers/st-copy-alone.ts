import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { copy, toCopyItems } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, hasBytes, readPath, storeReadable } from '../support/readings.ts';
import { failingCopies } from './failing-copies.ts';

export const stCopyAlone = defineCheck('ST-COPY-ALONE', needsFiles, async (t: Trial) => {
  const a = await storeReadable(t, 'a.txt');
  const b = await storeReadable(t, 'b.txt');
  const c = await t.upload.store('c.txt');
  const toOrders = (folder: string) =>
    [a, b].map(({ path }, index) => ({ from: path, to: t.storage.path(`${folder}/${index}.txt`) }));
  const sound = toOrders('sound');
  await copy(t, ...sound);
  for (const [index, { to }] of sound.entries()) {
    const { bytes } = index === 0 ? a : b;
    t.reach(hasBytes(await readPath(t, to), bytes), 'good items alone are not copied');
    const source = await t.upload.read(index === 0 ? a.fileId : b.fileId);
    t.reach(source.found, 'a copy does not keep its source');
  }
  const [missing, occupied, spelled] = failingCopies(t, a.path, c.path).map(({ order }) => order);
  if (!missing || !occupied || !spelled) return;
  const cases = [
    { what: 'a missing source in the first place', bad: missing, at: 0 },
    { what: 'a missing source in the middle', bad: missing, at: 1 },
    { what: 'a missing source in the last place', bad: missing, at: 2 },
    { what: 'an existing destination with overwrite false in the middle', bad: occupied, at: 1 },
    { what: 'a character that none may have in the first place', bad: spelled, at: 0 },
  ];
  for (const [index, { what, bad, at }] of cases.entries()) {
    const good = toOrders(String(index));
    const fileList = toCopyItems(t, good.toSpliced(at, 0, bad));
    const reply = await t.storage.call('batchCopyFile', { fileList });
    const { status } = reply.received;
    t.expect(!reply.refused, `${what}: the call must not be refused with ${status}`, reply);
    if (reply.refused) continue;
    for (const [item, { to }] of good.entries()) {
      const { bytes } = item === 0 ? a : b;
      expectBytes(t, await readPath(t, to), bytes, `${what}: the copy of good item ${item + 1}`);
    }
  }
});
