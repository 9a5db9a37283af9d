import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { show } from '../validation/cite.ts';
import {
  type CopyOrder,
  copy,
  expectAccepted,
  expectAt,
  expectNothing,
  hasBytes,
  hasFailed,
  isCopied,
  needsFiles,
  readPath,
  storeCopyable,
  storeReadable,
  toCopyItems,
} from './support/storage.ts';

const CASES = [
  { what: 'digits', name: '0123456789' },
  { what: 'lowercase letters', name: 'abcdefghijklmnopqrstuvwxyz' },
  { what: 'uppercase letters', name: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' },
  { what: '! - _ . , *', name: 'a!b-c_d.e,f*g' },
  { what: 'leading and trailing ! - _ , *', name: '!-_,*a*,_-!' },
  { what: 'leading, trailing and consecutive dots', name: '.a..b.' },
  { what: 'the first and last allowed Chinese characters', name: '\u4e00\u9fff' },
  {
    what: 'Chinese characters along with all other allowed characters',
    name: '文件/Ab1!-_.,*/目录/终.txt',
  },
];

const LEVELS = ['name.txt', 'level/name.txt', 'level/deeper/name.txt', 'other/deeper/name.txt'];

const CHARACTERS = [...' @%\\?#+:&"<|~(\t\u0000éя，\u4dff\ua000😀\u{20000}'];

/** A file with such a path, where uploads accept it, must not be the source of a copy either. */
async function expectSourceRefused(t: CheckContext, name: string): Promise<void> {
  const from = t.storage.path(name);
  const grant = await t.storage.call('getUploadMetaData', { path: from }, { acceptsRefusal: true });
  if (!grant.refused) await t.upload.send(from, Buffer.from(name));
  const [entry = {}] = await copy(t, { from, to: t.storage.path('from-bad.txt') });
  t.expect(hasFailed(entry), `${name} as srcPath: the item must fail, but it did not`);
}

export const storageCopyPaths: readonly Check[] = [
  defineCheck('ST-COPY-PATH/1', needsFiles, async (t: CheckContext) => {
    const copies = [];
    for (const [index, level] of LEVELS.entries()) {
      const { path, bytes } = await storeReadable(t, `source-${index}.txt`, `content ${index}`);
      const to = t.storage.path(`to/${level}`);
      await copy(t, { from: path, to });
      t.reach(hasBytes(await readPath(t, to), bytes), `no file can be copied to ${level}`);
      copies.push({ level, to, bytes });
    }
    for (const { level, to, bytes } of copies) {
      const what = `the copy at ${level} (one of several files with the same name)`;
      await expectAt(t, to, bytes, what);
    }
  }),
  defineCheck('ST-COPY-PATH/2', needsFiles, async (t) => {
    const source = await storeCopyable(t, 'source.txt');
    for (const [index, { what, name }] of CASES.entries()) {
      const strange = t.storage.path(`to/${name}`);
      const plain = t.storage.path(`back-${index}.txt`);
      const works = async (order: CopyOrder, field: string) => {
        const [entry = {}] = await copy(t, order);
        const message = `${what} in ${field} must be accepted, but the entry was ${show(entry)}`;
        t.expect(!hasFailed(entry), message);
        return !hasFailed(entry);
      };
      const isDone =
        (await works({ from: source.path, to: strange }, 'dstPath')) &&
        (await works({ from: strange, to: plain, removeOriginal: true }, 'srcPath'));
      const file = `a file copied to a path with ${what} and back`;
      if (isDone) await expectAt(t, plain, source.bytes, file);
    }
  }),
  defineCheck('ST-COPY-PATH/3', needsFiles, async (t: CheckContext) => {
    const source = await storeCopyable(t, 'source.txt');
    for (const [index, character] of CHARACTERS.entries()) {
      const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const good = { from: source.path, to: t.storage.path(`good-${index}.txt`) };
      const [item] = toCopyItems(t, [good]);
      const path = t.storage.path(`a${character}b.txt`);
      const bad = { ...item, dstPath: t.storage.copyPath(path) };
      const fileList = index % 2 === 0 ? [bad, item] : [item, bad];
      const reply = await t.storage.call('batchCopyFile', { fileList });
      const what = `${show(character)} (U+${point}) in dstPath`;
      if (!expectAccepted(t, reply, `a call with ${what}`)) continue;
      if (reply.entries?.length !== 2) continue;
      const failed = reply.entries.filter(hasFailed);
      const alone = `${what}: only this item must fail, but ${failed.length} of the two items failed`;
      t.expect(failed.length === 1, alone, reply);
      if (failed.length === 0) t.upload.track(path);
      for (const { code, message } of failed) {
        const isText = typeof code === 'string' && typeof message === 'string';
        const came = `${show(code)} and ${show(message)}`;
        t.expect(isText, `${what}: code and message must be strings, not ${came}`, reply);
      }
    }
    // What remains of such a path without its invalid character.
    const rest = t.storage.path('ab.txt');
    t.upload.track(rest);
    expectNothing(t, await readPath(t, rest), 'ab.txt, after such items have failed,');
    await expectSourceRefused(t, 'a b.txt');
    const to = t.storage.path('end.txt\n');
    const [entry = {}] = await copy(t, { from: source.path, to });
    const message = 'dstPath with a line feed at the end: the item must fail, but it did not';
    t.expect(hasFailed(entry), message);
  }),
  defineCheck('ST-COPY-PATH/4', needsFiles, async (t: CheckContext) => {
    for (const name of ['file.txt', 'level/deeper/file.txt']) {
      const file = await storeReadable(t, name);
      const isAbsolute = await isCopied(t, file, 'absolute');
      const isRelative = await isCopied(t, file, 'relative');
      t.expect(
        isAbsolute || isRelative,
        `a copy from ${name} to ${name}.copy must be possible, with a leading / in both paths or in none, but neither made a file`,
      );
      if (isAbsolute !== isRelative) {
        t.note(
          `Copies of ${name} work only ${isAbsolute ? 'with' : 'without'} a leading / in their paths.`,
        );
      }
    }
  }),
];
