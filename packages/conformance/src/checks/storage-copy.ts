import { SkipError } from '../errors.ts';
import { hasFailed } from '../http/read-response.ts';
import { quoteJson } from '../results/redact.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import { type CopyItem, describeReading, hasBytes } from '../run/files.ts';
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

const FORBIDDEN_NAMES = [
  [...' @%\\?#+~'].map((character) => `a${character}b.txt`),
  [...'\0\té，\u4dff\ua000😀\u{20000}'].map((character) => `a${character}b.txt`).concat('a.txt\n'),
];

type Options = Pick<CopyItem, 'overwrite' | 'removeOriginal'>;

const copy = (from: string, to: string, options?: Options): CopyItem => ({ from, to, ...options });
const move = (from: string, to: string, options?: Options): CopyItem =>
  copy(from, to, { removeOriginal: true, ...options });

const KEEP: Options = { overwrite: false };

export const storageCopy: readonly Check[] = [
  defineCheck('ST-COPY-CALL', needsFiles, async (t) => {
    const names = ['text', 'empty', 'level/large', 'fourth', 'level/fifth'];
    await t.files.storeReadable(names, { empty: '', 'level/large': LARGE });
    const reply = await t.files.tryCopy(...names.map((name) => copy(name, `${name}.copy`)));
    if (!expectAccepted(t, reply)) return;
    const copies = Object.fromEntries(names.map((name) => [`${name}.copy`, name]));
    await t.expectCopies('after the file was copied there', copies);
  }),
  defineCheck('ST-COPY-OVERWRITE/1', needsFiles, async (t) => {
    const names = ['source', 'moved', 'shorter', 'longer', 'third'];
    const contents = { shorter: 'old', longer: 'old '.repeat(100) };
    await t.files.storeReadable(names, contents);
    await t.files.copy(copy('source', 'shorter'), copy('source', 'longer', { overwrite: true }));
    await t.files.copy(move('moved', 'third'));
    const after = { shorter: 'source', longer: 'source', third: 'moved' };
    await t.expectCopies('after another file was copied or moved onto it', after);
  }),
  defineCheck('ST-COPY-OVERWRITE/2', needsFiles, async (t) => {
    await t.files.storeReadable(['source', 'existing', 'deleted']);
    await t.files.delete('deleted');
    for (const items of [
      ['level/free', 'deleted', 'existing'].map((to) => copy('source', to, KEEP)),
      [move('source', 'existing', KEEP)],
    ]) {
      const reply = await t.files.copy(...items);
      const message = `only the entry for an existing file must fail, but it was ${quoteJson(reply.entries.at(-1))}`;
      t.expect(reply.entries.filter(hasFailed).length === 1, message, reply);
    }
    const after = { 'level/free': 'source', deleted: 'source', existing: 'existing' };
    await t.expectCopies('after copies and a move with overwrite false', after);
  }),
  defineCheck('ST-COPY-MOVE/1', needsFiles, async (t) => {
    await t.files.storeReadable(['moved', 'plain', 'false']);
    await t.files.copy(
      move('moved', 'moved.to'),
      copy('plain', 'plain.copy', { overwrite: true }),
      copy('false', 'false.copy', { removeOriginal: false }),
    );
    await t.expectKept('after it was copied, next to a move', 'plain', 'false');
  }),
  defineCheck('ST-COPY-MOVE/2', needsFiles, async (t) => {
    await t.files.storeReadable(['a', 'b', 'c', 'existing'], { a: MEDIUM });
    await t.files.copy(move('a', 'a.moved'), copy('b', 'b.copy'), move('c', 'existing'));
    await t.expectCopies('after two moves', { 'a.moved': 'a', existing: 'c' });
    await t.expectGone('after it was moved', 'a', 'c');
  }),
  defineCheck('ST-COPY-MOVE-FAILED', needsFiles, async (t) => {
    await t.files.storeReadable(['a', 'b', 'existing']);
    const failed: string[] = [];
    for (const item of [move('a', 'existing', KEEP), move('b', 'not@allowed')]) {
      const [entry = {}] = (await t.files.copy(item)).entries;
      // Another rule covers that such an item fails.
      if (hasFailed(entry)) failed.push(item.from);
    }
    if (failed.length === 0) throw new SkipError('all moves that should have failed succeeded');
    await t.expectKept('after a failed move', ...failed);
  }),
  defineCheck('ST-COPY-SELF', needsFiles, async (t) => {
    const contents = { a: 'the first of two files', b: 'the second file, which is longer' };
    await t.files.storeReadable(['a', 'b'], contents);
    await t.files.tryCopy(copy('a', 'a'), move('b', 'b'));
    await t.expectKept('after it was copied or moved onto itself', 'a', 'b');
    await t.files.tryCopy(copy('a', 'b'), copy('b', 'a'));
    await expectEither(t, 'two files that were copied onto each other', 'a', 'b');
    await t.files.tryCopy(move('a', 'b'), move('b', 'a'));
    const what = 'two files that were moved onto each other';
    const [from = 'a'] = await expectEither(t, what, 'a', 'b');
    await t.files.tryCopy(move(from, '1'), move(from, '2'));
    await expectEither(t, 'a file that two items of a call moved', from, '1', '2');
  }),
  defineCheck('ST-COPY-MISSING', needsFiles, async (t) => {
    await t.files.storeReadable(['deleted', 'folder/present']);
    const [entry] = await t.files.delete('deleted');
    if (entry?.code !== 'SUCCESS') throw new SkipError('a file was not deleted');
    const reply = await t.files.copy(
      copy('missing', '1'),
      move('missing', '2'),
      copy('folder', '3'),
      copy('deleted', '4'),
    );
    const { entries } = reply;
    const message = `all entries must fail, but were ${quoteJson(entries)}`;
    t.expect(entries.every(hasFailed), message, reply);
    await t.expectGone('after a missing file was copied there', '1', '2', '3', '4');
  }),
  defineCheck('ST-COPY-ALONE', needsFiles, async (t) => {
    await t.files.storeReadable(['source', 'existing']);
    for (const items of [
      [copy('missing', 'never'), copy('source', '1'), copy('source', '2')],
      [copy('source', '3'), copy('source', 'existing', KEEP), copy('source', '4')],
      [copy('source', '5'), copy('source', 'not@allowed')],
    ]) {
      expectAccepted(t, await t.files.tryCopy(...items));
    }
    const copies = { 1: 'source', 2: 'source', 3: 'source', 4: 'source', 5: 'source' };
    await t.expectCopies('copied next to items that fail', copies);
  }),
  defineCheck('ST-COPY-PATH/1', needsFiles, async (t) => {
    const copies = { a: '1', 'level/a': '2', 'level/deeper/a': '3', 'other/deeper/a': '4' };
    await t.files.storeReadable(Object.values(copies));
    await t.files.copy(...Object.entries(copies).map(([to, from]) => copy(from, to)));
    await t.expectCopies('one of several copies with the same name', copies);
  }),
  defineCheck('ST-COPY-PATH/2', needsFiles, async (t) => {
    await t.files.storeReadable(['source']);
    await t.files.copy(...ALLOWED.map((name) => copy('source', `to/${name}`)));
    await t.files.copy(...ALLOWED.map((name, index) => move(`to/${name}`, `${index}`)));
    const after = Object.fromEntries(ALLOWED.map((_, index) => [`${index}`, 'source']));
    const when = 'copied to a path with such characters, and moved from there';
    await t.expectCopies(when, after);
  }),
  defineCheck('ST-COPY-PATH/3', needsFiles, async (t) => {
    await t.files.storeReadable(['source']);
    for (const [index, names] of FORBIDDEN_NAMES.entries()) {
      const items = [`${index}`, ...names].map((to) => copy('source', to));
      // Even if the response is lost, items that must fail may have made files.
      const paths = names.map((name) => t.files.path(name));
      for (const path of paths) t.files.track(path);
      const reply = await t.files.tryCopy(...items);
      const failed = (reply.entries ?? []).filter(hasFailed).length;
      if (reply.rejected || failed === names.length) t.files.untrack(paths);
      if (!expectAccepted(t, reply)) continue;
      const message = `${failed} of ${items.length} items failed, of which all but the first must: ${quoteJson(names)}`;
      t.expect(failed === names.length, message, reply);
    }
  }),
  defineCheck('ST-COPY-PATH/4', needsFiles, async (t) => {
    const file = await t.files.store('level/deeper/file');
    const { isCopied: isAbsolute } = await t.files.tryCopyAs(file, 'absolute');
    const { isCopied: isRelative, reply } = await t.files.tryCopyAs(file, 'relative');
    const message = `a copy of /${file.path} or of ${file.path} must create a file`;
    t.expect(isAbsolute || isRelative, message, reply);
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
  const readings = await t.files.readEach(await t.files.ids(...names));
  for (const [index, reading] of readings.entries()) {
    const contents = ['a', 'b'].map((name) => t.files.contentOf(name));
    const isIntact = !reading.found || contents.some((bytes) => hasBytes(reading, bytes));
    const message = `${what}: ${names[index]} must have the content of either, but a read returned ${describeReading(reading)}`;
    t.expect(isIntact, message, reading.exchange);
  }
  const found = names.filter((_, index) => readings[index]?.found);
  t.expect(found.length > 0, `${what}: at least one must be found`, readings[0]?.exchange);
  return found;
}
