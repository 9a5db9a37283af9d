import { type Check, defineCheck } from '../context/check-context.ts';
import { show } from '../validation/cite.ts';
import {
  copy,
  expectAccepted,
  expectFiles,
  hasFailed,
  isCopied,
  needsFiles,
  storeAll,
  storeReadable,
  toCopyItems,
} from './stored-files.ts';

/** All characters that are allowed, in places where careless code rejects or changes them. */
const ALLOWED = {
  letters: 'abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  punctuation: '!-_,*a*,_-!',
  dots: '.a..b.',
  // The first and the last of them.
  'Chinese characters': '\u4e00\u9fff/文件.txt',
};

const FORBIDDEN = [
  [...' @%\\?#+~'].map((character) => `a${character}b.txt`),
  [...'\0\té，\u4dff\ua000😀\u{20000}'].map((character) => `a${character}b.txt`).concat('a.txt\n'),
];

export const storageCopyPaths: readonly Check[] = [
  defineCheck('ST-COPY-PATH/1', needsFiles, async (t) => {
    const files = await storeReadable(t, '1.txt', '2.txt', '3.txt', '4.txt');
    const levels = ['name.txt', 'level/name.txt', 'level/deeper/name.txt', 'other/deeper/name.txt'];
    const copies = files.map(({ path: from, bytes }, index) => {
      const path = t.storage.path(`to/${levels[index]}`);
      return { from, path, bytes };
    });
    await copy(t, ...copies.map(({ from, path }) => ({ from, to: path })));
    await expectFiles(t, 'one of several copies with the same name', copies);
  }),
  defineCheck('ST-COPY-PATH/2', needsFiles, async (t) => {
    const [{ path: from, bytes }] = await storeReadable(t, 'source.txt');
    const copies = Object.entries(ALLOWED).map(([what, name]) => {
      const plain = t.storage.path(`${what.replace(' ', '-')}.txt`);
      return { path: t.storage.path(`to/${name}`), plain };
    });
    await copy(t, ...copies.map(({ path }) => ({ from, to: path })));
    const moves = copies.map(({ path, plain }) => ({
      from: path,
      to: plain,
      removeOriginal: true,
    }));
    await copy(t, ...moves);
    const back = copies.map(({ plain }) => ({ path: plain, bytes }));
    await expectFiles(t, 'copied to a path with such characters, and moved from there', back);
  }),
  defineCheck('ST-COPY-PATH/3', needsFiles, async (t) => {
    const [{ path: from }] = await storeReadable(t, 'source.txt');
    const strange = t.storage.path('an upload may have this path.txt');
    const metadata = await t.storage.call(
      'getUploadMetaData',
      { path: strange },
      { acceptsRefusal: true },
    );
    if (!metadata.refused) await t.upload.send(strange, Buffer.from('a copy must not'));
    for (const [index, names] of FORBIDDEN.entries()) {
      const paths = names.map((name) => t.storage.path(name));
      const orders = [
        { from, to: t.storage.path(`${index}.txt`) },
        ...paths.map((to) => ({ from, to })),
        { from: strange, to: t.storage.path(`strange-${index}.txt`) },
      ];
      const reply = await t.storage.call('batchCopyFile', { fileList: toCopyItems(t, orders) });
      if (!expectAccepted(t, reply, 'a call with invalid characters in paths')) continue;
      const failed = (reply.entries ?? []).filter(hasFailed).length;
      const message = `all items but the first must fail, those to ${show(names)} and that from ${strange}, but ${failed} of ${orders.length} did`;
      t.expect(failed === orders.length - 1, message, reply);
      // Those that did not may have made files.
      if (failed < orders.length - 1) for (const path of paths) t.upload.track(path);
    }
  }),
  defineCheck('ST-COPY-PATH/4', needsFiles, async (t) => {
    const [file] = await storeAll(t, 'level/deeper/file.txt');
    const isAbsolute = await isCopied(t, file, 'absolute');
    const isRelative = await isCopied(t, file, 'relative');
    const message = `a copy of ${file.path} must be possible, with a leading / in both paths or in none, but neither made a file`;
    t.expect(isAbsolute || isRelative, message);
    if (isAbsolute !== isRelative) {
      t.note(`Copies work only ${isAbsolute ? 'with' : 'without'} a leading / in their paths.`);
    }
  }),
];
