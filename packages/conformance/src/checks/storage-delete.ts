import { type Check, defineCheck } from '../context/check-context.ts';
import { expectAccepted, expectSuccess, expectSuccesses } from './storage-calls.ts';
import { hasBytes, hasFailed, missingFileId, needsFiles, storeReadable } from './stored-files.ts';

export const storageDelete: readonly Check[] = [
  defineCheck('ST-DELETE-CALL', needsFiles, async (t) => {
    const names = ['alone.txt', 'a.txt', 'level/b.txt', 'no-extension', 'd.txt'];
    const folder = await storeReadable(t, names);
    const ids = await folder.ids(...names);
    await expectSuccess(t, 'batchDelete', ids.slice(0, 1));
    await expectSuccess(t, 'batchDelete', ids.slice(1));
    // A link from before may still work, because a cache may hold the file.
    await folder.expectGone('after it was deleted', ...names);
    const copies = await folder.copy(...names.map((from) => ({ from, to: `${from}.copy` })));
    t.expect(copies.every(hasFailed), 'a deleted file must not be found, but it can be copied');
  }),
  defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
    const others = ['name.txt', 'nam', 'level/name', 'folder/inner.txt'];
    const folder = await storeReadable(t, ['NAME', 'name', ...others]);
    // If the two are one file, it is not the deletion that loses it.
    const [capital = ''] = await folder.ids('NAME');
    const isOther = hasBytes(await t.upload.read(capital), folder.contentOf('NAME'));
    await folder.delete('name', 'folder');
    const neighbours = isOther ? ['NAME', ...others] : others;
    await folder.expectKept('after only name and the path of a folder were deleted', ...neighbours);
  }),
  defineCheck('ST-DELETE-MISSING', needsFiles, async (t) => {
    const folder = await storeReadable(t, ['deleted.txt', 'present.txt']);
    const ids = [await missingFileId(t), ...(await folder.ids('deleted.txt', 'present.txt'))];
    await folder.delete('deleted.txt');
    const all = 'a file that was never stored, a deleted one and an existing one';
    await expectSuccesses(t, 'batchDelete', all, 1, ids);
    await expectSuccesses(t, 'batchDelete', 'a file that was never stored', 0, ids.slice(0, 1));
  }),
  defineCheck('ST-DELETE-ALONE', needsFiles, async (t) => {
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    const folder = await storeReadable(t, names);
    const missing = await missingFileId(t);
    const [a, b, c, d] = await folder.ids(...names);
    for (const fileList of [
      [missing, a, b],
      [c, 'no file has this name', d, missing],
    ]) {
      const reply = await t.storage.call('batchDelete', { fileList });
      expectAccepted(t, reply, 'a call with missing files');
    }
    await folder.expectGone('after it was deleted next to missing files', ...names);
  }),
];
