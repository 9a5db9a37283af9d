import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import { show } from '../validation/cite.ts';
import {
  type CopyOrder,
  copy,
  expectAccepted,
  expectAt,
  expectBytes,
  expectLists,
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

/** Calls that copy a file, keyed by description; each destination is used once. */
function goodCopies(t: CheckContext, from: string): Record<string, CopyOrder[]> {
  const order = (name: string, more: Partial<CopyOrder> = {}) => ({
    ...{ from, to: t.storage.path(name) },
    ...more,
  });
  return {
    'a copy': [order('a.txt')],
    'two copies': [order('b.txt'), order('level/c.txt')],
    'a copy with overwrite false': [order('d.txt', { overwrite: false })],
    'a move': [order('e.txt', { removeOriginal: true })],
  };
}

export const storageCopyResponses: readonly Check[] = [
  defineCheck('ST-COPY-LIST', needsFiles, async (t) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string) => ({ from: path, to: t.storage.path(name) });
    const bad: CopyOrder[] = Object.values(failingCopies(t, path, path));
    const cases = {
      'one copy': [good('a.txt')],
      'two copies': [good('b.txt'), good('level/c.txt')],
      'two copies and an invalid item': [good('d.txt'), ...bad.slice(0, 1), good('e.txt')],
      'only invalid items': bad,
      'the same copy twice': [good('f.txt'), good('f.txt')],
      'twelve invalid items': Array.from({ length: 12 }, () => bad[0] as CopyOrder),
    };
    const lists = Object.entries(cases).map(([what, orders]) => [what, toCopyItems(t, orders)]);
    await expectLists(t, 'batchCopyFile', Object.fromEntries(lists));
  }),
  defineCheck('ST-COPY-FILE-ID', needsFiles, async (t) => {
    const { path, bytes } = await storeReadable(t, 'source.txt');
    const missing = failingCopies(t, path, path)['a missing source'];
    const { 'a copy': one = [], 'two copies': two = [] } = goodCopies(t, path);
    let seen = 0;
    for (const orders of [one, two, [missing]]) {
      const { reply, entries } = await askForCopies(t, orders);
      t.claim('ST-COPY-FILE-ID', `batchCopyFile of ${orders.length} files`, reply);
      for (const entry of entries) {
        const { fileID } = entry;
        if (typeof fileID !== 'string' || hasFailed(entry)) continue;
        seen += 1;
        const reading = await t.upload.read(fileID);
        expectBytes(t, reading, bytes, `the file with the fileID ${fileID} from the entry`);
      }
    }
    if (seen === 0) t.note('No entry in a copy response has a fileID.');
  }),
  defineCheck('ST-COPY-FILE-ID-PRESENT', needsFiles, async (t: CheckContext) => {
    const { path } = await t.upload.store('source.txt');
    let checked = 0;
    const copies = Object.entries(goodCopies(t, path));
    // The first one is made twice, so that its destination exists.
    for (const [what, orders] of [...copies.slice(0, 1), ...copies]) {
      const { reply, entries } = await askForCopies(t, orders);
      checked += entries.filter((entry) => !hasFailed(entry)).length;
      t.claim('ST-COPY-FILE-ID-PRESENT', what, reply);
    }
    t.reach(checked > 0, 'no copy succeeded');
  }),
  defineCheck('ST-COPY-FAILED', needsFiles, async (t: CheckContext) => {
    const source = await t.upload.store('source.txt');
    const existing = await t.upload.store('existing.txt');
    const good = { from: source.path, to: `${source.path}.copy` };
    let checked = 0;
    const failing = failingCopies(t, source.path, existing.path);
    for (const [what, order] of Object.entries(failing)) {
      for (const orders of [[order], [good, order]]) {
        const { reply, entries } = await askForCopies(t, orders);
        // Another rule covers that such an item fails at all.
        checked += entries.filter(hasFailed).length;
        t.claim('ST-COPY-FAILED', `an item with ${what}`, reply);
      }
    }
    t.reach(checked > 0, 'all the copies that should have failed succeeded');
  }),
  defineCheck('ST-COPY-SUCCEEDED', needsFiles, async (t: CheckContext) => {
    const { path, bytes } = await storeReadable(t, 'source.txt');
    let checked = 0;
    for (const [what, orders] of Object.entries(goodCopies(t, path))) {
      const { reply, entries } = await askForCopies(t, orders);
      const readings = [];
      for (const { to } of orders) readings.push(await readPath(t, to));
      // The entries must report success only if the copies were made, which another rule checks.
      if (!readings.every((reading) => hasBytes(reading, bytes))) continue;
      checked += 1;
      for (const { code, message } of entries) {
        const isSilent = code === undefined && message === undefined;
        const came = `but they were ${show(code)} and ${show(message)}`;
        t.expect(isSilent, `${what}: code and message must be absent, ${came}`, reply);
      }
    }
    t.reach(checked > 0, 'no copy was made');
  }),
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
