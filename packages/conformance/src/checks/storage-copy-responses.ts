import type { CheckContext } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import { type Check, defineCheck } from './check.ts';
import { expectOptionalText, show } from './support/cite.ts';
import {
  type CopyOrder,
  copy,
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
function failingCopies(
  t: CheckContext,
  source: string,
  existing: string,
): Record<'missing' | 'existing' | 'spelled' | 'moved', { what: string; order: CopyOrder }> {
  const missing = t.storage.path(`${t.uniqueName()}.missing`);
  const to = t.storage.path('never.txt');
  return {
    missing: { what: 'copying a missing file', order: { from: missing, to } },
    existing: {
      what: 'a copy onto an existing file with overwrite false',
      order: { from: source, to: existing, overwrite: false },
    },
    spelled: {
      what: 'a copy to a path with an invalid character',
      order: { from: source, to: t.storage.path('not@allowed.txt') },
    },
    moved: {
      what: 'a move of a missing file',
      order: { from: missing, to, removeOriginal: true },
    },
  };
}

export const storageCopyResponses: readonly Check[] = [
  defineCheck('ST-COPY-LIST', needsFiles, async (t) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string) => ({ from: path, to: t.storage.path(name) });
    const bad = Object.values(failingCopies(t, path, path)).map(({ order }) => order);
    const cases = {
      'one copy': [good('a.txt')],
      'two copies': [good('b.txt'), good('level/c.txt')],
      'two copies and an invalid item': [good('d.txt'), ...bad.slice(0, 1), good('e.txt')],
      'only invalid items': bad,
      'the same copy twice': [good('f.txt'), good('f.txt')],
      'twelve invalid items': Array.from({ length: 12 }, () => bad[0] as CopyOrder),
    };
    const lists = Object.entries(cases).map(([what, orders]) => ({
      what,
      fileList: toCopyItems(t, orders),
    }));
    await expectLists(t, 'batchCopyFile', lists);
  }),
  defineCheck('ST-COPY-FILE-ID', needsFiles, async (t) => {
    const file = await storeReadable(t, 'source.txt');
    const { missing } = failingCopies(t, file.path, file.path);
    const good = (name: string) => ({ from: file.path, to: t.storage.path(name) });
    const lists = [[good('a.txt')], [good('b.txt'), good('level/c.txt')], [missing.order]];
    let seen = 0;
    for (const orders of lists) {
      const { reply, entries } = await askForCopies(t, orders);
      for (const entry of entries) {
        const { fileID } = entry;
        expectOptionalText(t, 'fileID of an entry', fileID, reply);
        if (typeof fileID !== 'string' || hasFailed(entry)) continue;
        seen += 1;
        const reading = await t.upload.read(fileID);
        expectBytes(t, reading, file.bytes, `the file with the fileID ${fileID} from the entry`);
      }
    }
    if (seen === 0) t.note('No entry in a copy response has a fileID.');
  }),
  defineCheck('ST-COPY-FILE-ID-PRESENT', needsFiles, async (t: CheckContext) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string, more = {}) => ({ from: path, to: t.storage.path(name), ...more });
    const cases = {
      'a copy': [good('a.txt')],
      'two copies': [good('b.txt'), good('level/c.txt')],
      'a copy onto an existing file': [good('a.txt')],
      'a move': [good('d.txt', { removeOriginal: true })],
    };
    let checked = 0;
    for (const [what, orders] of Object.entries(cases)) {
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
    for (const { what, order } of Object.values(failing)) {
      for (const orders of [[order], [good, order]]) {
        const { reply, entries } = await askForCopies(t, orders);
        // Another rule covers that such an item fails at all.
        checked += entries.filter(hasFailed).length;
        t.claim('ST-COPY-FAILED', what, reply);
      }
    }
    t.reach(checked > 0, 'all the copies that should have failed succeeded');
  }),
  defineCheck('ST-COPY-SUCCEEDED', needsFiles, async (t: CheckContext) => {
    const { path, bytes } = await storeReadable(t, 'source.txt');
    const good = (name: string, more: Partial<CopyOrder> = {}) => ({
      ...{ from: path, to: t.storage.path(name) },
      ...more,
    });
    const cases = {
      'a copy': [good('a.txt')],
      'two copies': [good('b.txt'), good('level/c.txt')],
      'a copy with overwrite false': [good('d.txt', { overwrite: false })],
      'a move': [good('e.txt', { removeOriginal: true })],
    };
    let checked = 0;
    for (const [what, orders] of Object.entries(cases)) {
      const { reply, entries } = await askForCopies(t, orders);
      const readings = [];
      for (const { to } of orders) readings.push(await readPath(t, to));
      // The entries must report success only if the copies were made, which another rule checks.
      if (!readings.every((reading) => hasBytes(reading, bytes))) continue;
      checked += 1;
      for (const { code, message } of entries) {
        t.expect(
          code === undefined,
          `${what}: code must be absent, but it was ${show(code)}`,
          reply,
        );
        const isSilent = message === undefined;
        t.expect(isSilent, `${what}: message must be absent, but it was ${show(message)}`, reply);
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
      t.expect(
        hasFailed(entry),
        `${what}: the copy must fail, but its entry was ${show(entry)}`,
        reply,
      );
      expectNothing(t, await readPath(t, to), `${what}: the destination`);
    }
    const to = `${present.path}.copy`;
    const beside = [
      { from: present.path, to },
      { from: missing, to: t.storage.path('beside.txt') },
    ];
    const { reply, entries } = await askForCopies(t, beside);
    const failed = entries.filter(hasFailed).length;
    t.expect(
      failed > 0,
      'a missing file next to an existing one: the copy of the missing file must fail',
      reply,
    );
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
      t.reach(
        hasBytes(await readPath(t, order.to), bytes),
        'a call with only valid items does not copy the files',
      );
    }
    for (const { fileId } of [a, b]) {
      t.reach((await t.upload.read(fileId)).found, 'a copy removes its source');
    }
    const bad = failingCopies(t, a.path, c.path);
    const cases: Record<string, [order: CopyOrder, place: number]> = {
      'a missing source in the first item': [bad.missing.order, 0],
      'a missing source in the middle item': [bad.missing.order, 1],
      'a missing source in the last item': [bad.missing.order, 2],
      'an existing destination in the middle item, with overwrite false': [bad.existing.order, 1],
      'an invalid character in a path of the first item': [bad.spelled.order, 0],
    };
    for (const [index, [what, [order, place]]] of Object.entries(cases).entries()) {
      const good = toOrders(String(index));
      const orders = good.map((each) => each.order).toSpliced(place, 0, order);
      const fileList = toCopyItems(t, orders);
      const reply = await t.storage.call('batchCopyFile', { fileList });
      const { status } = reply.received;
      t.expect(
        !reply.refused,
        `${what}: the call must not be rejected, but the response was ${status}`,
        reply,
      );
      if (reply.refused) continue;
      for (const [item, { order: copied, bytes }] of good.entries()) {
        const reading = await readPath(t, copied.to);
        expectBytes(t, reading, bytes, `${what}: the copy for valid item ${item + 1}`);
      }
    }
  }),
];
