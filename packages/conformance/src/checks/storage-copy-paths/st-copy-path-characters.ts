import { defineCheck } from '../check.ts';
import { copy, hasFailed } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, readPath } from '../support/readings.ts';
import { storeCopyable } from '../support/store-copyable.ts';

const CASES = [
  { what: 'digits', name: '0123456789' },
  { what: 'small letters', name: 'abcdefghijklmnopqrstuvwxyz' },
  { what: 'capital letters', name: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' },
  { what: '! - _ . , *', name: 'a!b-c_d.e,f*g' },
  { what: '! - _ , * at the ends', name: '!-_,*a*,_-!' },
  { what: 'dots at the ends and side by side', name: '.a..b.' },
  { what: 'the first and the last Chinese character', name: '\u4e00\u9fff' },
  { what: 'Chinese characters and all others', name: '文件/Ab1!-_.,*/目录/终.txt' },
];

export const stCopyPathCharacters = defineCheck(
  'ST-COPY-PATH-CHARACTERS',
  needsFiles,
  async (t) => {
    const source = await storeCopyable(t, 'source.txt');
    for (const [index, { what, name }] of CASES.entries()) {
      const strange = t.storage.path(`to/${name}`);
      const [there = {}] = await copy(t, { from: source.path, to: strange });
      t.expect(!hasFailed(there), `${what} in dstPath must be accepted, not fail: ${show(there)}`);
      if (hasFailed(there)) continue;
      const plain = t.storage.path(`back-${index}.txt`);
      const [back = {}] = await copy(t, { from: strange, to: plain, removeOriginal: true });
      t.expect(!hasFailed(back), `${what} in srcPath must be accepted, not fail: ${show(back)}`);
      if (hasFailed(back)) continue;
      const reading = await readPath(t, plain);
      expectBytes(t, reading, source.bytes, `${what}: what was copied there and back`);
    }
  },
);
