import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { show } from '../validation/cite.ts';
import {
  canBeCopied,
  expectAccepted,
  expectBytes,
  expectNothing,
  hasBytes,
  missingFileId,
  needsFiles,
  readPath,
  storeReadable,
} from './support/storage.ts';

/** Expects no success for a missing file, alone or next to files that exist. */
async function expectNoSuccess(
  t: CheckContext,
  what: string,
  missing: string,
  ...present: string[]
): Promise<void> {
  const entries = await t.storage.list('batchDelete', [missing, ...present]);
  const count = entries.filter(({ code }) => code === 'SUCCESS').length;
  t.expect(count <= present.length, `${what}: the code of its entry must not be SUCCESS`);
}

/** Names that are similar to `name`, the one that is deleted. */
const NEIGHBOURS = ['name.txt', 'name2', 'nam', 'a-name', 'level/name', 'folder/inner.txt'];

/** Files of a call with one item, and of one with several. */
const FILES = [['alone.txt'], ['a.txt', 'level/b.txt', 'c', 'd.txt', 'level/e.txt']];

export const storageDelete: readonly Check[] = [
  defineCheck('ST-DELETE-CALL/1', needsFiles, async (t) => {
    for (const names of FILES) {
      const files = [];
      for (const name of names) files.push(await storeReadable(t, name));
      const fileList = files.map(({ fileId }) => fileId);
      const what = `batchDelete of ${fileList.length} files`;
      const reply = await t.storage.call('batchDelete', { fileList });
      if (!expectAccepted(t, reply, what)) continue;
      // A link from before may still work, because a cache may hold the file.
      for (const { fileId, path } of files) {
        expectNothing(t, await t.upload.read(fileId), `${what}: ${path} (read by its file ID)`);
        expectNothing(t, await readPath(t, path), `${what}: ${path} (read by its path)`);
        const isFound = await canBeCopied(t, path);
        t.expect(!isFound, `${what}: ${path} must not be found, but it can be copied`);
      }
    }
  }),
  defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
    const capital = await storeReadable(t, 'NAME');
    const named = await storeReadable(t, 'name');
    const neighbours = [];
    for (const name of NEIGHBOURS) neighbours.push(await storeReadable(t, name));
    // If the two are one file, it is not the deletion that loses it.
    const isOther = hasBytes(await t.upload.read(capital.fileId), capital.bytes);
    if (isOther) neighbours.push(capital);
    const folder = await t.upload.fileIdOf(t.storage.path('folder'));
    for (const [what, id] of Object.entries({
      name: named.fileId,
      'the path of a folder': folder,
    })) {
      await t.storage.list('batchDelete', [id]);
      for (const { path, fileId, bytes } of neighbours) {
        const reading = await t.upload.read(fileId);
        expectBytes(t, reading, bytes, `${path}, after a batchDelete of ${what},`);
      }
    }
  }),
  defineCheck('ST-DELETE-CALL/2', needsFiles, async (t: CheckContext) => {
    for (const names of FILES) {
      const files = [];
      for (const name of names) files.push(await storeReadable(t, name));
      const ids = files.map(({ fileId }) => fileId);
      const { reply, entries } = await t.storage.listReply('batchDelete', ids);
      for (const { code } of entries) {
        // ST-DELETE-CALL/1 covers files that are not deleted.
        for (const { path } of code === 'SUCCESS' ? [] : files) {
          t.reach(!(await readPath(t, path)).found, 'a file was not deleted');
        }
        const wanted = `the code of a deleted file must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', wanted, reply);
      }
    }
  }),
  defineCheck('ST-DELETE-MISSING', needsFiles, async (t: CheckContext) => {
    const missing = await missingFileId(t);
    await expectNoSuccess(t, 'a file that was never stored', missing);
    await expectNoSuccess(t, 'the same file, deleted again', missing);

    const deleted = await storeReadable(t, 'deleted.txt');
    await t.storage.list('batchDelete', [deleted.fileId]);
    t.reach(!(await readPath(t, deleted.path)).found, 'a file was not deleted');
    const what = 'a file that has already been deleted';
    await expectNoSuccess(t, what, deleted.fileId);
    const present = await t.upload.store('present.txt');
    await expectNoSuccess(t, `${what}, next to an existing file`, deleted.fileId, present.fileId);
  }),
  defineCheck('ST-DELETE-ALONE', needsFiles, async (t: CheckContext) => {
    const sound = await storeReadable(t, 'sound.txt');
    await t.storage.list('batchDelete', [sound.fileId]);
    const isDeleted = !(await t.upload.read(sound.fileId)).found;
    t.reach(isDeleted, 'a call that lists one existing file does not delete it');
    const bad = await missingFileId(t);
    const cases: Record<string, (a: string, b: string) => string[]> = {
      'a missing file as the first item': (a, b) => [bad, a, b],
      'a missing file as the middle item': (a, b) => [a, bad, b],
      'a missing file as the last item': (a, b) => [a, b, bad],
      'an invalid file ID as the middle item': (a, b) => [a, 'no file has this name', b],
    };
    for (const [what, toList] of Object.entries(cases)) {
      const folder = what.replaceAll(' ', '-');
      const a = await storeReadable(t, `${folder}/a.txt`);
      const b = await storeReadable(t, `${folder}/b.txt`);
      const reply = await t.storage.call('batchDelete', { fileList: toList(a.fileId, b.fileId) });
      if (!expectAccepted(t, reply, `a call with ${what}`)) continue;
      for (const { path, fileId } of [a, b]) {
        expectNothing(t, await t.upload.read(fileId), `${what}: ${path}`);
      }
    }
  }),
];
