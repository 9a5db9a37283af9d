import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { claimRefusal } from '../invariants.ts';
import { show } from '../validation/cite.ts';
import {
  type CopyOrder,
  copy,
  describeReading,
  expectAccepted,
  expectFiles,
  hasBytes,
  hasFailed,
  makeGoodFields,
  needsFiles,
  storeReadable,
  toCopyItems,
} from './stored-files.ts';

/** Just over usual sizes of buffers: 1 MiB and 64 KiB. */
const LARGE = Buffer.alloc(1_048_577, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
const MEDIUM = LARGE.subarray(0, 65_537);

export const storageCopy: readonly Check[] = [
  defineCheck('ST-COPY-CALL', needsFiles, async (t) => {
    const files = await storeReadable(
      t,
      'text.txt',
      ['empty.bin', ''],
      ['level/large.bin', LARGE],
      'fourth.txt',
      'level/fifth.txt',
    );
    const copies = files.map(({ path, bytes }) => ({ from: path, path: `${path}.copy`, bytes }));
    const fileList = toCopyItems(
      t,
      copies.map(({ from, path }) => ({ from, to: path })),
    );
    const reply = await t.storage.call('batchCopyFile', { fileList });
    if (!expectAccepted(t, reply, 'batchCopyFile of five files')) return;
    await expectFiles(t, 'after the file was copied there', copies);
  }),
  defineCheck('ST-INVALID/4', needsFiles, async (t) => {
    const fields = await makeGoodFields(t);
    for (const [operation, field] of [
      ['batchGetTempUrls', 'fileID'],
      ['batchCopyFile', 'srcPath'],
      ['batchCopyFile', 'dstPath'],
    ] as const) {
      const [item] = Object(fields[operation]).fileList;
      const bad = { ...item, [field]: undefined };
      for (const fileList of [[bad], [item, bad], [bad, item]]) {
        const reply = await t.storage.call(operation, { fileList }, { acceptsRefusal: true });
        const what = `${operation} with an item without ${field} among ${fileList.length}`;
        for (const [holds, message] of claimRefusal(reply))
          t.expect(holds, `${what}: ${message}`, reply);
      }
    }
  }),
  defineCheck('ST-COPY-OVERWRITE/1', needsFiles, async (t) => {
    const [source, moved, shorter, longer, third] = await storeReadable(
      t,
      'source.txt',
      'moved.txt',
      ['shorter.txt', 'old'],
      ['longer.txt', 'old '.repeat(100)],
      'third.txt',
    );
    await copy(
      t,
      { from: source.path, to: shorter.path },
      { from: source.path, to: longer.path, overwrite: true },
    );
    await copy(t, { from: moved.path, to: third.path, removeOriginal: true });
    await expectFiles(t, 'after another file was copied or moved onto it', [
      { path: shorter.path, bytes: source.bytes },
      { path: longer.path, bytes: source.bytes },
      { path: third.path, bytes: moved.bytes },
    ]);
  }),
  defineCheck('ST-COPY-OVERWRITE/2', needsFiles, async (t) => {
    const [source, existing] = await storeReadable(t, 'source.txt', 'existing.txt');
    const [from, to, free] = [source.path, existing.path, t.storage.path('level/free.txt')];
    const both = await copy(
      t,
      { from, to: free, overwrite: false },
      { from, to, overwrite: false },
    );
    const move = await copy(t, { from, to, overwrite: false, removeOriginal: true });
    const failed = [both, move].map((entries) => entries.filter(hasFailed).length);
    const message = `a copy and a move onto an existing file with overwrite false must fail, but their entries were ${show([...both, ...move])}`;
    t.expect(
      failed.every((count) => count === 1),
      message,
    );
    await expectFiles(t, 'after copies and a move with overwrite false', [
      { path: free, bytes: source.bytes },
      { path: to, bytes: existing.bytes },
    ]);
  }),
  defineCheck('ST-COPY-MOVE/1', needsFiles, async (t) => {
    const [moved, plain, explicit] = await storeReadable(t, 'moved.txt', 'plain.txt', 'false.txt');
    await copy(
      t,
      { from: moved.path, to: `${moved.path}.to`, removeOriginal: true },
      { from: plain.path, to: `${plain.path}.copy`, overwrite: true },
      { from: explicit.path, to: `${explicit.path}.copy`, removeOriginal: false },
    );
    await expectFiles(t, 'after it was copied, next to a move', [plain, explicit]);
  }),
  defineCheck('ST-COPY-MOVE/2', needsFiles, async (t) => {
    const [a, b, c, existing] = await storeReadable(
      t,
      ['a.txt', MEDIUM],
      'b.txt',
      'c.txt',
      'existing.txt',
    );
    const to = `${a.path}.moved`;
    await copy(
      t,
      { from: a.path, to, removeOriginal: true },
      { from: b.path, to: `${b.path}.copy` },
      { from: c.path, to: existing.path, removeOriginal: true },
    );
    await expectFiles(t, 'after two moves', [
      { path: to, bytes: a.bytes },
      { path: existing.path, bytes: c.bytes },
      { path: a.path },
      { path: c.path },
    ]);
  }),
  defineCheck('ST-COPY-MOVE-FAILED', needsFiles, async (t: CheckContext) => {
    const [a, b, existing] = await storeReadable(t, 'a.txt', 'b.txt', 'existing.txt');
    const moves = [
      { file: a, to: existing.path, overwrite: false },
      { file: b, to: t.storage.path('not@allowed.txt') },
    ];
    const kept = [];
    for (const { file, ...order } of moves) {
      const [entry = {}] = await copy(t, { from: file.path, ...order, removeOriginal: true });
      // Another rule covers that such an item fails.
      if (hasFailed(entry)) kept.push(file);
    }
    t.reach(kept.length > 0, 'all the moves that should have failed succeeded');
    await expectFiles(t, 'after a failed move', kept);
  }),
  defineCheck('ST-COPY-SELF', needsFiles, async (t) => {
    const files = await storeReadable(
      t,
      ['a.txt', 'the first of two files'],
      ['b.txt', 'the second of two files, which is longer'],
    );
    const [a, b] = files.map(({ path }) => path) as [string, string];
    const contents = files.map(({ bytes }) => bytes);
    const move = (from: string, to: string) => ({ from, to, removeOriginal: true });
    await copyAnyhow(t, { from: a, to: a }, move(b, b));
    const same = files.map(({ path, bytes }) => ({ path, bytes }));
    await expectFiles(t, 'after it was copied or moved onto itself', same);
    await copyAnyhow(t, { from: a, to: b }, { from: b, to: a });
    await expectKept(t, 'two files that were copied onto each other', [a, b], contents);
    await copyAnyhow(t, move(a, b), move(b, a));
    const swapped = 'two files that were moved onto each other';
    const [from = a] = await expectKept(t, swapped, [a, b], contents);
    const ends = ['1.txt', '2.txt'].map((name) => t.storage.path(name));
    await copyAnyhow(t, ...ends.map((to) => move(from, to)));
    await expectKept(t, 'a file that two items of a call moved', [from, ...ends], contents);
  }),
  defineCheck('ST-COPY-MISSING', needsFiles, async (t: CheckContext) => {
    const [deleted] = await storeReadable(t, 'deleted.txt', 'folder/present.txt');
    const [entry] = await t.storage.list('batchDelete', [deleted.fileId]);
    t.reach(entry?.code === 'SUCCESS', 'a file was not deleted');
    const missing = t.storage.path(`${t.uniqueName()}.missing`);
    const orders = [
      { from: missing, to: t.storage.path('copy-of-missing.txt') },
      { from: missing, to: t.storage.path('moved-missing.txt'), removeOriginal: true },
      { from: t.storage.path('folder'), to: t.storage.path('copy-of-folder.txt') },
      { from: deleted.path, to: t.storage.path('copy-of-deleted.txt') },
    ];
    const entries = await copy(t, ...orders);
    const message = `all copies of missing files must fail, but their entries were ${show(entries)}`;
    t.expect(entries.every(hasFailed), message);
    const nothing = orders.map(({ to }) => ({ path: to }));
    await expectFiles(t, 'after a missing file was copied there', nothing);
  }),
  defineCheck('ST-COPY-ALONE', needsFiles, async (t) => {
    const [source, existing] = await storeReadable(t, 'source.txt', 'existing.txt');
    const { path: from, bytes } = source;
    const toCopy = (name: string): CopyOrder => ({ from, to: t.storage.path(name) });
    const missing = { ...toCopy('never.txt'), from: t.storage.path(`${t.uniqueName()}.missing`) };
    const occupied = { from, to: existing.path, overwrite: false };
    const calls = [
      [missing, toCopy('1.txt'), toCopy('2.txt')],
      [toCopy('3.txt'), occupied, toCopy('4.txt'), toCopy('not@allowed.txt')],
    ];
    for (const orders of calls) {
      const fileList = toCopyItems(t, orders);
      const reply = await t.storage.call('batchCopyFile', { fileList });
      expectAccepted(t, reply, 'a call with items that fail');
    }
    const made = ['1.txt', '2.txt', '3.txt', '4.txt'].map((name) => ({
      path: t.storage.path(name),
      bytes,
    }));
    await expectFiles(t, 'after it was copied next to items that fail', made);
  }),
];

/** Copies files, whatever the response: the deployment may reject items, and also such a call. */
async function copyAnyhow(t: CheckContext, ...orders: CopyOrder[]): Promise<void> {
  const fileList = toCopyItems(t, orders);
  await t.storage.call('batchCopyFile', { fileList }, { acceptsRefusal: true });
}

/**
 * Expects what is stored at these paths to be one of these contents, and at least one path to have a file: the
 * contract does not define the order of the items in a call.
 *
 * @returns the paths with a file
 */
async function expectKept(
  t: CheckContext,
  what: string,
  paths: readonly string[],
  contents: readonly Buffer[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) ids.push(await t.upload.fileIdOf(path));
  const readings = await t.upload.readAll(ids);
  for (const [index, reading] of readings.entries()) {
    const isIntact = !reading.found || contents.some((bytes) => hasBytes(reading, bytes));
    const actual = `but a read returned ${describeReading(reading)}`;
    const message = `${what}: ${paths[index]} must have the content of one of the files, ${actual}`;
    t.expect(isIntact, message, reading.exchange);
  }
  const found = paths.filter((_, index) => readings[index]?.found);
  t.expect(found.length > 0, `${what}: one of the contents must be kept, but no file was found`);
  return found;
}
