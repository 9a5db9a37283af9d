import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { describeReading, hasBytes } from '../context/files.ts';
import { SkipError } from '../result.ts';
import { show } from '../validation/cite.ts';
import { hasFailed } from '../validation/read-storage.ts';
import { expectAccepted, LARGE, needsFiles } from './storage-calls.ts';

/** Just over 64 KiB, a common size of buffers. */
const MEDIUM = LARGE.subarray(0, 65_537);

/** All characters that are allowed, in places where careless code rejects or changes them. */
const ALLOWED = [
  'abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  '!-_,*a*,_-!',
  '.a..b.',
  // The first and the last of the Chinese characters.
  '\u4e00\u9fff/文件.txt',
];

const FORBIDDEN = [
  [...' @%\\?#+~'].map((character) => `a${character}b.txt`),
  [...'\0\té，\u4dff\ua000😀\u{20000}'].map((character) => `a${character}b.txt`).concat('a.txt\n'),
];

export const storageCopy: readonly Check[] = [
  defineCheck('ST-COPY-CALL', needsFiles, async (t) => {
    const names = ['text.txt', 'empty.bin', 'level/large.bin', 'fourth.txt', 'level/fifth.txt'];
    const folder = await t.files.storeReadable(names, {
      'empty.bin': '',
      'level/large.bin': LARGE,
    });
    const reply = await folder.tryCopy(...names.map((from) => ({ from, to: `${from}.copy` })));
    if (!expectAccepted(t, reply, 'batchCopyFile of five files')) return;
    const copies = Object.fromEntries(names.map((name) => [`${name}.copy`, name]));
    await folder.expect('after the file was copied there', copies);
  }),
  defineCheck('ST-COPY-OVERWRITE/1', needsFiles, async (t) => {
    const names = ['source.txt', 'moved.txt', 'shorter.txt', 'longer.txt', 'third.txt'];
    const contents = { 'shorter.txt': 'old', 'longer.txt': 'old '.repeat(100) };
    const folder = await t.files.storeReadable(names, contents);
    await folder.copy(
      { from: 'source.txt', to: 'shorter.txt' },
      { from: 'source.txt', to: 'longer.txt', overwrite: true },
    );
    await folder.copy({ from: 'moved.txt', to: 'third.txt', removeOriginal: true });
    await folder.expect('after another file was copied or moved onto it', {
      'shorter.txt': 'source.txt',
      'longer.txt': 'source.txt',
      'third.txt': 'moved.txt',
    });
  }),
  defineCheck('ST-COPY-OVERWRITE/2', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['source.txt', 'existing.txt', 'deleted.txt']);
    await folder.delete('deleted.txt');
    const refused = { from: 'source.txt', to: 'existing.txt', overwrite: false };
    const free = ['level/free.txt', 'deleted.txt'].map((to) => ({ ...refused, to }));
    for (const items of [[...free, refused], [{ ...refused, removeOriginal: true }]]) {
      const entries = await folder.copy(...items);
      const actual = `but its entry was ${show(entries.at(-1))}`;
      const message = `an item onto an existing file with overwrite false must fail, ${actual}`;
      t.expect(entries.filter(hasFailed).length === 1, message);
    }
    await folder.expect('after copies and a move with overwrite false', {
      'level/free.txt': 'source.txt',
      'deleted.txt': 'source.txt',
      'existing.txt': 'existing.txt',
    });
  }),
  defineCheck('ST-COPY-MOVE/1', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['moved.txt', 'plain.txt', 'false.txt']);
    await folder.copy(
      { from: 'moved.txt', to: 'moved.to', removeOriginal: true },
      { from: 'plain.txt', to: 'plain.copy', overwrite: true },
      { from: 'false.txt', to: 'false.copy', removeOriginal: false },
    );
    await folder.expectKept('after it was copied, next to a move', 'plain.txt', 'false.txt');
  }),
  defineCheck('ST-COPY-MOVE/2', needsFiles, async (t) => {
    const names = ['a.txt', 'b.txt', 'c.txt', 'existing.txt'];
    const folder = await t.files.storeReadable(names, { 'a.txt': MEDIUM });
    await folder.copy(
      { from: 'a.txt', to: 'a.moved', removeOriginal: true },
      { from: 'b.txt', to: 'b.copy' },
      { from: 'c.txt', to: 'existing.txt', removeOriginal: true },
    );
    await folder.expect('after two moves', { 'a.moved': 'a.txt', 'existing.txt': 'c.txt' });
    await folder.expectGone('after it was moved', 'a.txt', 'c.txt');
  }),
  defineCheck('ST-COPY-MOVE-FAILED', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['a.txt', 'b.txt', 'existing.txt']);
    const moves = [
      { from: 'a.txt', to: 'existing.txt', overwrite: false, removeOriginal: true },
      { from: 'b.txt', to: 'not@allowed.txt', removeOriginal: true },
    ];
    const failed: string[] = [];
    for (const move of moves) {
      const [entry = {}] = await folder.copy(move);
      // Another rule covers that such an item fails.
      if (hasFailed(entry)) failed.push(move.from);
    }
    if (failed.length === 0) throw new SkipError('all moves that should have failed succeeded');
    await folder.expectKept('after a failed move', ...failed);
  }),
  defineCheck('ST-COPY-SELF', needsFiles, async (t) => {
    const [a, b] = ['a.txt', 'b.txt'] as const;
    const contents = { [a]: 'the first of two files', [b]: 'the second file, which is longer' };
    const folder = await t.files.storeReadable([a, b], contents);
    const move = (from: string, to: string) => ({ from, to, removeOriginal: true });
    await folder.tryCopy({ from: a, to: a }, move(b, b));
    await folder.expectKept('after it was copied or moved onto itself', a, b);
    await folder.tryCopy({ from: a, to: b }, { from: b, to: a });
    await expectEither(t, 'two files that were copied onto each other', a, b);
    await folder.tryCopy(move(a, b), move(b, a));
    const what = 'two files that were moved onto each other';
    const [from = a] = await expectEither(t, what, a, b);
    await folder.tryCopy(move(from, '1.txt'), move(from, '2.txt'));
    await expectEither(t, 'a file that two items of a call moved', from, '1.txt', '2.txt');
  }),
  defineCheck('ST-COPY-MISSING', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['deleted.txt', 'folder/present.txt']);
    const [entry] = await folder.delete('deleted.txt');
    if (entry?.code !== 'SUCCESS') throw new SkipError('a file was not deleted');
    const items = [
      { from: 'missing.txt', to: 'copy-of-missing.txt' },
      { from: 'missing.txt', to: 'moved-missing.txt', removeOriginal: true },
      { from: 'folder', to: 'copy-of-folder.txt' },
      { from: 'deleted.txt', to: 'copy-of-deleted.txt' },
    ];
    const entries = await folder.copy(...items);
    const message = `all copies of missing files must fail, but their entries were ${show(entries)}`;
    t.expect(entries.every(hasFailed), message);
    const names = items.map(({ to }) => to);
    await folder.expectGone('after a missing file was copied there', ...names);
  }),
  defineCheck('ST-COPY-ALONE', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['source.txt', 'existing.txt']);
    const toCopy = (to: string) => ({ from: 'source.txt', to });
    const missing = { from: 'missing.txt', to: 'never.txt' };
    const occupied = { ...toCopy('existing.txt'), overwrite: false };
    for (const items of [
      [missing, toCopy('1.txt'), toCopy('2.txt')],
      [toCopy('3.txt'), occupied, toCopy('4.txt'), toCopy('not@allowed.txt')],
    ]) {
      expectAccepted(t, await folder.tryCopy(...items), 'a call with items that fail');
    }
    const copies = ['1.txt', '2.txt', '3.txt', '4.txt'].map((name) => [name, 'source.txt']);
    await folder.expect('copied next to items that fail', Object.fromEntries(copies));
  }),
  defineCheck('ST-COPY-PATH/1', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['1.txt', '2.txt', '3.txt', '4.txt']);
    const copies = {
      'to/name.txt': '1.txt',
      'to/level/name.txt': '2.txt',
      'to/level/deeper/name.txt': '3.txt',
      'to/other/deeper/name.txt': '4.txt',
    };
    await folder.copy(...Object.entries(copies).map(([to, from]) => ({ from, to })));
    await folder.expect('one of several copies with the same name', copies);
  }),
  defineCheck('ST-COPY-PATH/2', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['source.txt']);
    await folder.copy(...ALLOWED.map((name) => ({ from: 'source.txt', to: `to/${name}` })));
    const back = ALLOWED.map((name, index) => {
      return { from: `to/${name}`, to: `${index}.txt`, removeOriginal: true };
    });
    await folder.copy(...back);
    const copies = back.map(({ to }) => [to, 'source.txt']);
    const when = 'copied to a path with such characters, and moved from there';
    await folder.expect(when, Object.fromEntries(copies));
  }),
  defineCheck('ST-COPY-PATH/3', needsFiles, async (t) => {
    const folder = await t.files.storeReadable(['source.txt']);
    for (const [index, names] of FORBIDDEN.entries()) {
      const items = [`${index}.txt`, ...names].map((to) => ({ from: 'source.txt', to }));
      const reply = await folder.tryCopy(...items);
      if (!expectAccepted(t, reply, 'a call with invalid characters in paths')) continue;
      const failed = (reply.entries ?? []).filter(hasFailed).length;
      const message = `all items but the first must fail, those to ${show(names)}, but ${failed} of ${items.length} did`;
      t.expect(failed === items.length - 1, message, reply);
      // Those that did not may have made files.
      if (failed < items.length - 1) for (const { to } of items) t.files.track(folder.path(to));
    }
  }),
  defineCheck('ST-COPY-PATH/4', needsFiles, async (t) => {
    const file = await t.files.store('level/deeper/file.txt');
    const isAbsolute = await t.files.tryCopyAs(file, 'absolute');
    const isRelative = await t.files.tryCopyAs(file, 'relative');
    const message = `a copy of ${file.path} must be possible, with a leading / in both paths or in none, but neither made a file`;
    t.expect(isAbsolute || isRelative, message);
    if (isAbsolute !== isRelative) {
      t.note(`Copies work only ${isAbsolute ? 'with' : 'without'} a leading / in their paths.`);
    }
  }),
];

/**
 * Expects each of these files to have one of the two contents, and at least one to exist, because the contract does not
 * define the order of the items in a call. Returns the names with a file.
 */
async function expectEither(t: CheckContext, what: string, ...names: string[]) {
  const readings = await t.files.readAll(await t.files.ids(...names));
  for (const [index, reading] of readings.entries()) {
    const contents = ['a.txt', 'b.txt'].map((name) => t.files.contentOf(name));
    const isIntact = !reading.found || contents.some((bytes) => hasBytes(reading, bytes));
    const actual = `but a read returned ${describeReading(reading)}`;
    const message = `${what}: ${names[index]} must have the content of one of the files, ${actual}`;
    t.expect(isIntact, message, reading.exchange);
  }
  const found = names.filter((_, index) => readings[index]?.found);
  t.expect(found.length > 0, `${what}: one of the contents must be kept, but no file was found`);
  return found;
}
