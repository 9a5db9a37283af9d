import { defineCheck } from '../check.ts';
import { copy, hasFailed } from '../support/copies.ts';
import { show } from '../support/entries.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, readPath, storeReadable } from '../support/readings.ts';
import { storeCopyable } from '../support/store-copyable.ts';

export const stCopyOverwriteFalse = defineCheck(
  'ST-COPY-OVERWRITE-FALSE',
  needsFiles,
  async (t) => {
    const source = await storeCopyable(t, 'source.txt');
    const existing = await storeReadable(t, 'existing.txt', 'old');
    const [from, to] = [source.path, existing.path];
    const free = t.storage.path('level/free.txt');
    await copy(t, { from, to: free, overwrite: false });
    const place = 'overwrite false and a free destination: the copy';
    expectBytes(t, await readPath(t, free), source.bytes, place);
    const second = t.storage.path('second.txt');
    await copy(t, { from, to: second }, { from, to, overwrite: false });
    const beside = 'overwrite false in the second item: the destination';
    expectBytes(t, await readPath(t, to), existing.bytes, beside);
    const cases = [
      { what: 'a copy', more: {} },
      { what: 'a copy with removeOriginal false', more: { removeOriginal: false } },
      { what: 'a move', more: { removeOriginal: true } },
    ];
    for (const { what: how, more } of cases) {
      const [entry = {}] = await copy(t, { from, to, overwrite: false, ...more });
      const what = `${how} with overwrite false onto an existing destination`;
      t.expect(hasFailed(entry), `${what}: the item must fail, not be ${show(entry)}`);
      expectBytes(t, await readPath(t, to), existing.bytes, `${what}: the destination`);
    }
  },
);
