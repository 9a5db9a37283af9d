import { type Check, defineCheck } from '../context/check-context.ts';
import { show } from '../validation/cite.ts';
import {
  areThere,
  copy,
  expectAccepted,
  expectFiles,
  hasBytes,
  hasFailed,
  missingFileId,
  needsFiles,
  storeReadable,
} from './stored-files.ts';

export const storageDelete: readonly Check[] = [
  defineCheck('ST-DELETE-CALL', needsFiles, async (t) => {
    const names = ['alone.txt', 'a.txt', 'level/b.txt', 'no-extension', 'd.txt'] as const;
    const files = await storeReadable(t, ...names);
    for (const list of [files.slice(0, 1), files.slice(1)]) {
      const fileList = list.map(({ fileId }) => fileId);
      const reply = await t.storage.call('batchDelete', { fileList });
      expectAccepted(t, reply, `batchDelete of ${list.length} files`);
      for (const { code } of reply.entries ?? []) {
        const message = `the code of a deleted file must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', message, reply);
      }
    }
    // A link from before may still work, because a cache may hold the file.
    const gone = files.map(({ path, fileId }) => ({ path, fileId }));
    await expectFiles(t, 'after it was deleted', gone);
    const orders = files.map(({ path }) => ({ from: path, to: `${path}.copy` }));
    const copies = await copy(t, ...orders);
    const message = 'a deleted file must not be found, but it can be copied';
    t.expect(copies.every(hasFailed), message);
  }),
  defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
    const [capital, named, ...others] = await storeReadable(
      t,
      ...(['NAME', 'name', 'name.txt', 'nam', 'level/name', 'folder/inner.txt'] as const),
    );
    // If the two are one file, it is not the deletion that loses it.
    const isOther = hasBytes(await t.upload.read(capital.fileId), capital.bytes);
    const folder = await t.upload.fileIdOf(t.storage.path('folder'));
    await t.storage.list('batchDelete', [named.fileId, folder]);
    const neighbours = isOther ? [capital, ...others] : others;
    const kept = await areThere(
      t,
      neighbours.map(({ fileId }) => fileId),
    );
    for (const [index, { path }] of neighbours.entries()) {
      const message = `${path} must be kept if only ${named.path} and the path of a folder are deleted`;
      t.expect(kept[index] === true, message);
    }
  }),
  defineCheck('ST-DELETE-MISSING', needsFiles, async (t) => {
    const [deleted, present] = await storeReadable(t, 'deleted.txt', 'present.txt');
    const missing = await missingFileId(t);
    const expectDeleted = async (expected: number, what: string, ids: string[]) => {
      const { reply, entries } = await t.storage.listReply('batchDelete', ids);
      const count = entries.filter(({ code }) => code === 'SUCCESS').length;
      const message = `${what}: at most ${expected} entries may have the code SUCCESS, but ${count} do`;
      t.expect(count <= expected, message, reply);
    };
    await t.storage.list('batchDelete', [deleted.fileId]);
    const list = [missing, deleted.fileId, present.fileId];
    await expectDeleted(1, 'a file that was never stored, a deleted one and an existing one', list);
    await expectDeleted(0, 'a file that was never stored', [missing]);
  }),
  defineCheck('ST-DELETE-ALONE', needsFiles, async (t) => {
    const [a, b, c, d] = await storeReadable(t, 'a.txt', 'b.txt', 'c.txt', 'd.txt');
    const missing = await missingFileId(t);
    const lists = [
      [missing, a.fileId, b.fileId],
      [c.fileId, 'no file has this name', d.fileId, missing],
    ];
    for (const fileList of lists) {
      const reply = await t.storage.call('batchDelete', { fileList });
      expectAccepted(t, reply, 'a call with missing files');
    }
    const gone = [a, b, c, d].map(({ path, fileId }) => ({ path, fileId }));
    await expectFiles(t, 'after it was deleted next to missing files', gone);
  }),
];
