import type { CheckContext } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import { type Check, defineCheck } from './check.ts';
import { type CopyOrder, copy, hasFailed, toCopyItems } from './support/copies.ts';
import {
  expectBytes,
  expectLists,
  expectNothing,
  hasBytes,
  needsFiles,
  readPath,
  show,
  storeReadable,
} from './support/storage.ts';

/** A copy call, and its entries; without a list of that many the check is not reached. */
async function askForCopies(
  t: CheckContext,
  ...orders: CopyOrder[]
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  const reply = await t.storage.call('batchCopyFile', { fileList: toCopyItems(t, orders) });
  const entries = reply.data?.fileList;
  const isList = Array.isArray(entries) && entries.length === orders.length;
  const came = `batchCopyFile answered ${reply.received.status}`;
  t.reach(isList, `${came} without an entry for each of the ${orders.length} items`);
  return { reply, entries: entries.map(Object) };
}

/** Copies of an existing file or of none, each of which must fail for a reason of its own. */
function failingCopies(
  t: CheckContext,
  source: string,
  existing: string,
): { what: string; order: CopyOrder }[] {
  const missing = t.storage.path(`${t.uniqueName()}.missing`);
  return [
    { what: 'a missing source', order: { from: missing, to: t.storage.path('never.txt') } },
    {
      what: 'an existing destination and overwrite false',
      order: { from: source, to: existing, overwrite: false },
    },
    {
      what: 'a destination with a character that none may have',
      order: { from: source, to: t.storage.path('not@allowed.txt') },
    },
    {
      what: 'a move of a missing source',
      order: { from: missing, to: t.storage.path('never.txt'), removeOriginal: true },
    },
  ];
}

export const storageCopyAnswers: readonly Check[] = [
  defineCheck('ST-COPY-LIST', needsFiles, async (t: CheckContext) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string) => ({ from: path, to: t.storage.path(name) });
    const bad = failingCopies(t, path, path).map(({ order }) => order);
    const cases = [
      { what: 'one copy', orders: [good('a.txt')] },
      { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
      {
        what: 'two copies and a bad item',
        orders: [good('d.txt'), ...bad.slice(0, 1), good('e.txt')],
      },
      { what: 'bad items alone', orders: bad },
      { what: 'one copy twice', orders: [good('f.txt'), good('f.txt')] },
    ];
    await expectLists(
      t,
      'batchCopyFile',
      cases.map(({ what, orders }) => ({ what, fileList: toCopyItems(t, orders) })),
    );
  }),
  defineCheck('ST-COPY-FILE-ID', needsFiles, async (t) => {
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
  }),
  defineCheck('ST-COPY-FILE-ID-PRESENT', needsFiles, async (t: CheckContext) => {
    const { path } = await t.upload.store('source.txt');
    const good = (name: string, more = {}) => ({ from: path, to: t.storage.path(name), ...more });
    const cases = [
      { what: 'a copy', orders: [good('a.txt')] },
      { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
      { what: 'a copy onto an existing file', orders: [good('a.txt')] },
      { what: 'a move', orders: [good('d.txt', { removeOriginal: true })] },
    ];
    let judged = 0;
    for (const { what, orders } of cases) {
      const { reply, entries } = await askForCopies(t, ...orders);
      for (const entry of entries.filter((one) => !hasFailed(one))) {
        judged += 1;
        const isPresent = (entry.fileID ?? undefined) !== undefined;
        t.expect(isPresent, `${what}: the entry should have fileID`, reply);
      }
    }
    t.reach(judged > 0, 'no copy succeeded');
  }),
  defineCheck('ST-COPY-FAILED', needsFiles, async (t: CheckContext) => {
    const source = await t.upload.store('source.txt');
    const existing = await t.upload.store('existing.txt');
    const good = { from: source.path, to: `${source.path}.copy` };
    let judged = 0;
    for (const { what, order } of failingCopies(t, source.path, existing.path)) {
      for (const orders of [[order], [good, order]]) {
        const { reply, entries } = await askForCopies(t, ...orders);
        // That such an item fails at all is another rule.
        for (const { code, message } of entries.filter(hasFailed)) {
          judged += 1;
          const isCode = typeof code === 'string';
          t.expect(isCode, `${what}: code must be a string, not ${show(code)}`, reply);
          const isMessage = typeof message === 'string';
          t.expect(isMessage, `${what}: message must be a string, not ${show(message)}`, reply);
        }
      }
    }
    t.reach(judged > 0, 'no copy fails that must fail');
  }),
  defineCheck('ST-COPY-SUCCEEDED', needsFiles, async (t: CheckContext) => {
    const { path, bytes } = await storeReadable(t, 'source.txt');
    const good = (name: string, more: Partial<CopyOrder> = {}) => ({
      ...{ from: path, to: t.storage.path(name) },
      ...more,
    });
    const cases = [
      { what: 'a copy', orders: [good('a.txt')] },
      { what: 'two copies', orders: [good('b.txt'), good('level/c.txt')] },
      { what: 'a copy with overwrite false', orders: [good('d.txt', { overwrite: false })] },
      { what: 'a move', orders: [good('e.txt', { removeOriginal: true })] },
    ];
    let judged = 0;
    for (const { what, orders } of cases) {
      const { reply, entries } = await askForCopies(t, ...orders);
      const readings = [];
      for (const { to } of orders) readings.push(await readPath(t, to));
      // Only where the copies were made the entries must say so; that they are made is another rule.
      if (!readings.every((reading) => hasBytes(reading, bytes))) continue;
      judged += 1;
      for (const { code, message } of entries) {
        t.expect(code === undefined, `${what}: there must be no code, not ${show(code)}`, reply);
        const isSilent = message === undefined;
        t.expect(isSilent, `${what}: there must be no message, not ${show(message)}`, reply);
      }
    }
    t.reach(judged > 0, 'no copy was made');
  }),
  defineCheck('ST-COPY-MISSING', needsFiles, async (t) => {
    const deleted = await storeReadable(t, 'deleted.txt');
    const present = await storeReadable(t, 'folder/present.txt');
    await t.storage.list('batchDelete', [deleted.fileId]);
    const isGone = !(await readPath(t, deleted.path)).found;
    const missing = t.storage.path(`${t.uniqueName()}.missing`);
    const cases = [
      { what: 'a file that was never stored', from: missing, more: {} },
      {
        what: 'a move of a file that was never stored',
        from: missing,
        more: { removeOriginal: true },
      },
      { what: 'a folder, which is no file,', from: t.storage.path('folder'), more: {} },
      ...(isGone ? [{ what: 'a file that was deleted', from: deleted.path, more: {} }] : []),
    ];
    for (const [index, { what, from, more }] of cases.entries()) {
      const to = t.storage.path(`to-${index}.txt`);
      const { reply, entries } = await askForCopies(t, { from, to, ...more });
      const [entry = {}] = entries;
      t.expect(hasFailed(entry), `${what}: its copy must fail, not be ${show(entry)}`, reply);
      expectNothing(t, await readPath(t, to), `${what}: its destination`);
    }
    const to = `${present.path}.copy`;
    const beside = [
      { from: present.path, to },
      { from: missing, to: t.storage.path('beside.txt') },
    ];
    const { reply, entries } = await askForCopies(t, ...beside);
    const failed = entries.filter(hasFailed).length;
    t.expect(failed > 0, 'a missing file beside a present one: its copy must fail', reply);
  }),
  defineCheck('ST-COPY-ALONE', needsFiles, async (t: CheckContext) => {
    const a = await storeReadable(t, 'a.txt');
    const b = await storeReadable(t, 'b.txt');
    const c = await t.upload.store('c.txt');
    const toOrders = (folder: string) =>
      [a, b].map(({ path }, index) => ({
        from: path,
        to: t.storage.path(`${folder}/${index}.txt`),
      }));
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
  }),
];
