import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, hasBytes, storeReadable } from '../support/readings.ts';
import { deleteFiles } from './delete-files.ts';

/** Names that have much in common with the one that is deleted, `name`. */
const NEIGHBOURS = ['name.txt', 'name2', 'nam', 'a-name', 'level/name', 'folder/inner.txt'];

export const stDeleteOnly = defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
  const capital = { name: 'NAME', file: await storeReadable(t, 'NAME') };
  const named = await storeReadable(t, 'name');
  const neighbours = [];
  for (const name of NEIGHBOURS) neighbours.push({ name, file: await storeReadable(t, name) });
  // Where the two are one file, it is not the deletion that loses it.
  const isOther = hasBytes(await t.upload.read(capital.file.fileId), capital.file.bytes);
  if (isOther) neighbours.push(capital);
  const folder = await t.upload.fileIdOf(t.storage.path('folder'));
  const cases = [
    { what: 'name', fileId: named.fileId },
    { what: 'folder, which is no file,', fileId: folder },
  ];
  for (const { what, fileId } of cases) {
    await deleteFiles(t, fileId);
    for (const { name, file } of neighbours) {
      expectBytes(
        t,
        await t.upload.read(file.fileId),
        file.bytes,
        `${name}, after ${what} is deleted,`,
      );
    }
  }
});
