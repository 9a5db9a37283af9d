import type { CheckContext } from '../context/check-context.ts';
import type { Entry } from '../context/storage-client.ts';
import type { StoredFile } from '../context/upload-client.ts';
import { type Check, defineCheck } from './check.ts';
import { show } from './support/cite.ts';
import {
  expectBytes,
  expectFileIds,
  expectLists,
  expectNothing,
  hasBytes,
  isFile,
  missingFileId,
  needsFiles,
  readPath,
  storeAll,
  storeReadable,
} from './support/storage.ts';

/** Deletes files; unless the response has one entry per item, the check is not reached. */
function deleteFiles(t: CheckContext, ...fileIds: string[]): Promise<Entry[]> {
  return t.storage.list('batchDelete', fileIds);
}

async function verify(
  t: CheckContext,
  what: string,
  fileId: string,
  ...present: string[]
): Promise<void> {
  const entries = await deleteFiles(t, fileId, ...present);
  const count = entries.filter(({ code }) => code === 'SUCCESS').length;
  t.expect(count <= present.length, `${what}: the code of its entry must not be SUCCESS`);
}

/** Names that are similar to `name`, the one that is deleted. */
const NEIGHBOURS = ['name.txt', 'name2', 'nam', 'a-name', 'level/name', 'folder/inner.txt'];

export const storageDelete: readonly Check[] = [
  defineCheck('ST-DELETE-CALL', needsFiles, async (t) => {
    for (const names of [['alone.txt'], ['a.txt', 'level/b.txt', 'c']]) {
      const files = [];
      for (const name of names) {
        const file = await storeReadable(t, name);
        const [entry] = await t.storage.list('batchGetTempUrls', [{ fileID: file.fileId }]);
        const link = String(entry?.tempFileURL);
        // A cache that has seen the file must not keep it.
        if (URL.canParse(link)) await t.upload.download(link);
        files.push({ ...file, name, link });
      }
      // The fourth and the fifth file of a list.
      const more = names.length > 1 ? await storeAll(t, 'd.txt', 'level/e.txt') : [];
      const fileList = [...files, ...more].map(({ fileId }) => fileId);
      const reply = await t.storage.call('batchDelete', { fileList });
      const what = `batchDelete of ${fileList.length} files`;
      const { status } = reply.received;
      t.expect(!reply.refused, `${what} must be accepted, but the response was ${status}`, reply);
      if (reply.refused) continue;
      for (const { name, fileId, path, link, bytes } of files) {
        expectNothing(t, await t.upload.read(fileId), `${what}: ${name} (read by its file ID)`);
        expectNothing(t, await readPath(t, path), `${what}: ${name} (read by its path)`);
        const exchange = await t.upload.download(link);
        const works = isFile(exchange, bytes);
        t.expect(!works, `${what}: a link to ${name} must no longer work, but it does`, exchange);
      }
      for (const { fileId, path } of more) {
        expectNothing(t, await t.upload.read(fileId), `${what}: ${path} (read by its file ID)`);
      }
    }
  }),
  defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
    const capital = { name: 'NAME', file: await storeReadable(t, 'NAME') };
    const named = await storeReadable(t, 'name');
    const neighbours = [];
    for (const name of NEIGHBOURS) neighbours.push({ name, file: await storeReadable(t, name) });
    // If the two are one file, it is not the deletion that loses it.
    const isOther = hasBytes(await t.upload.read(capital.file.fileId), capital.file.bytes);
    if (isOther) neighbours.push(capital);
    const folder = await t.upload.fileIdOf(t.storage.path('folder'));
    const cases = [
      { what: 'name', fileId: named.fileId },
      { what: 'the path of a folder', fileId: folder },
    ];
    for (const { what, fileId } of cases) {
      await deleteFiles(t, fileId);
      for (const { name, file } of neighbours) {
        expectBytes(
          t,
          await t.upload.read(file.fileId),
          file.bytes,
          `${name}, after a batchDelete of ${what},`,
        );
      }
    }
  }),
  defineCheck('ST-DELETE-LIST', needsFiles, async (t) => {
    const missing = await missingFileId(t);
    const files = await storeAll(t, 'f.txt', 'a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt');
    const [twice, a, b, c, d, e] = files.map(({ fileId }) => fileId);
    await expectLists(t, 'batchDelete', [
      { what: 'one file', fileList: [a] },
      { what: 'two files', fileList: [b, c] },
      { what: 'two files and a missing one', fileList: [d, missing, e] },
      { what: 'a missing file', fileList: [missing] },
      { what: 'the same file twice', fileList: [twice, twice] },
      { what: 'twelve missing files', fileList: Array.from({ length: 12 }, () => missing) },
    ]);
  }),
  defineCheck('ST-DELETE-FILE-ID', needsFiles, async (t) => {
    const missing = await missingFileId(t);
    const files = await storeAll(t, 'a.txt', 'b.txt', 'level/c.txt');
    const [a = '', b = '', c = ''] = files.map(({ fileId }) => fileId);
    for (const fileList of [[a], [b, missing, c], [missing]]) {
      await expectFileIds(t, 'batchDelete', fileList);
    }
  }),
  defineCheck('ST-DELETE-CODE', needsFiles, async (t: CheckContext) => {
    for (const names of [['alone.txt'], ['a.txt', 'level/b.txt', 'c']]) {
      const files: StoredFile[] = [];
      for (const name of names) files.push(await storeReadable(t, name));
      const ids = files.map(({ fileId }) => fileId);
      const { reply, entries } = await t.storage.listReply('batchDelete', ids);
      for (const { code } of entries) {
        // ST-DELETE-CALL covers files that are not deleted.
        for (const { path } of code === 'SUCCESS' ? [] : files) {
          t.reach(!(await readPath(t, path)).found, 'a file was not deleted');
        }
        const wanted = `the code of a deleted file must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', wanted, reply);
      }
    }
    const { reply } = await t.storage.listReply('batchDelete', [await missingFileId(t)]);
    t.claim('ST-DELETE-CODE', 'batchDelete of a missing file', reply);
  }),
  defineCheck('ST-DELETE-MISSING', needsFiles, async (t: CheckContext) => {
    const missing = await missingFileId(t);
    await verify(t, 'a file that was never stored', missing);
    await verify(t, 'the same file, deleted again', missing);

    const deleted = await storeReadable(t, 'deleted.txt');
    await deleteFiles(t, deleted.fileId);
    t.reach(!(await readPath(t, deleted.path)).found, 'a file was not deleted');
    await verify(t, 'a file that has already been deleted', deleted.fileId);

    const present = await t.upload.store('present.txt');
    const what = 'a file that has already been deleted, next to an existing file';
    await verify(t, what, deleted.fileId, present.fileId);
  }),
  defineCheck('ST-DELETE-ALONE', needsFiles, async (t: CheckContext) => {
    const sound = await storeReadable(t, 'sound.txt');
    await deleteFiles(t, sound.fileId);
    t.reach(
      !(await t.upload.read(sound.fileId)).found,
      'a call that lists one existing file does not delete it',
    );
    const bad = await missingFileId(t);
    const cases: Record<string, (a: string, b: string) => string[]> = {
      'a missing file as the first item': (a, b) => [bad, a, b],
      'a missing file as the middle item': (a, b) => [a, bad, b],
      'a missing file as the last item': (a, b) => [a, b, bad],
      'an invalid file ID as the middle item': (a, b) => [a, 'no file has this name', b],
    };
    for (const [what, toList] of Object.entries(cases)) {
      const a = await storeReadable(t, `${what.replaceAll(' ', '-')}/a.txt`);
      const b = await storeReadable(t, `${what.replaceAll(' ', '-')}/b.txt`);
      const reply = await t.storage.call('batchDelete', { fileList: toList(a.fileId, b.fileId) });
      const { status } = reply.received;
      t.expect(
        !reply.refused,
        `${what}: the call must not be rejected, but the response was ${status}`,
        reply,
      );
      if (reply.refused) continue;
      for (const { path, fileId } of [a, b]) {
        const { found } = await t.upload.read(fileId);
        t.expect(!found, `${what}: ${path} must be deleted, but it still exists`, reply);
      }
    }
  }),
];
