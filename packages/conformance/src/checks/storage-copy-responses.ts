import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import { show } from '../validation/cite.ts';
import {
  type CopyOrder,
  copy,
  expectAccepted,
  expectAt,
  expectNothing,
  hasBytes,
  hasFailed,
  needsFiles,
  readPath,
  storeReadable,
  toCopyItems,
} from './support/storage.ts';

function askForCopies(
  t: CheckContext,
  orders: readonly CopyOrder[],
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  return t.storage.listReply('batchCopyFile', toCopyItems(t, orders));
}

/** Copies of an existing or a missing file, each of which must fail for a different reason. */
function failingCopies(t: CheckContext, source: string, existing: string) {
  const missing = t.storage.path(`${t.uniqueName()}.missing`);
  const to = t.storage.path('never.txt');
  return {
    'a missing source': { from: missing, to },
    'an existing destination and overwrite false': { from: source, to: existing, overwrite: false },
    'an invalid character in its path': { from: source, to: t.storage.path('not@allowed.txt') },
    'a missing source to move': { from: missing, to, removeOriginal: true },
  } satisfies Record<string, CopyOrder>;
}

export const storageCopyResponses: readonly Check[] = [
  defineCheck('ST-COPY-MISSING', needsFiles, async (t) => {
    const deleted = await storeReadable(t, 'deleted.txt');
    const present = await storeReadable(t, 'folder/present.txt');
    await t.storage.list('batchDelete', [deleted.fileId]);
    const isGone = !(await readPath(t, deleted.path)).found;
    const missing = t.storage.path(`${t.uniqueName()}.missing`);
    const cases: Record<string, Omit<CopyOrder, 'to'>> = {
      'a file that was never stored': { from: missing },
      'a move of a file that was never stored': { from: missing, removeOriginal: true },
      'a folder instead of a file': { from: t.storage.path('folder') },
      ...(isGone ? { 'a file that was deleted': { from: deleted.path } } : {}),
    };
    for (const [index, [what, order]] of Object.entries(cases).entries()) {
      const to = t.storage.path(`to-${index}.txt`);
      const { reply, entries } = await askForCopies(t, [{ ...order, to }]);
      const [entry = {}] = entries;
      const message = `${what}: the copy must fail, but its entry was ${show(entry)}`;
      t.expect(hasFailed(entry), message, reply);
      expectNothing(t, await readPath(t, to), `${what}: the destination`);
    }
    const to = `${present.path}.copy`;
    const beside = [
      { from: present.path, to },
      { from: missing, to: t.storage.path('beside.txt') },
    ];
    const { reply, entries } = await askForCopies(t, beside);
    const what = 'the copy of a missing file next to that of an existing one';
    t.expect(entries.some(hasFailed), `${what} must fail`, reply);
  }),
  defineCheck('ST-COPY-ALONE', needsFiles, async (t: CheckContext) => {
    const a = await storeReadable(t, 'a.txt');
    const b = await storeReadable(t, 'b.txt');
    const c = await t.upload.store('c.txt');
    const toOrders = (folder: string) =>
      [a, b].map(({ path, bytes }, index) => {
        const to = t.storage.path(`${folder}/${index}.txt`);
        return { order: { from: path, to }, bytes };
      });
    const sound = toOrders('sound');
    await copy(t, ...sound.map(({ order }) => order));
    for (const { order, bytes } of sound) {
      const isCopied = hasBytes(await readPath(t, order.to), bytes);
      t.reach(isCopied, 'a call with only valid items does not copy the files');
    }
    for (const { fileId } of [a, b]) {
      t.reach((await t.upload.read(fileId)).found, 'a copy removes its source');
    }
    const { 'a missing source to move': _, ...bad } = failingCopies(t, a.path, c.path);
    const cases = Object.entries(bad).flatMap(([what, order], index) =>
      (index === 0 ? [0, 1, 2] : [2 - index]).map((place) => ({ what, order, place })),
    );
    for (const [index, { what, order, place }] of cases.entries()) {
      const good = toOrders(String(index));
      const orders = good.map((each) => each.order).toSpliced(place, 0, order);
      const reply = await t.storage.call('batchCopyFile', { fileList: toCopyItems(t, orders) });
      const call = `a call with ${what} in item ${place + 1}`;
      if (!expectAccepted(t, reply, call)) continue;
      for (const [item, { order: copied, bytes }] of good.entries()) {
        await expectAt(t, copied.to, bytes, `${call}: the copy for valid item ${item + 1}`);
      }
    }
  }),
];
