import type { StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { show } from './entries.ts';

/** Makes calls for lists: each answer must have one entry for each item, and every entry is an object. */
export async function expectLists(
  t: Trial,
  operation: StorageOperation,
  cases: readonly { what: string; fileList: readonly unknown[] }[],
): Promise<void> {
  let judged = 0;
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call(operation, { fileList });
    if (reply.data === undefined) continue;
    judged += 1;
    const entries = reply.data.fileList;
    const isList = Array.isArray(entries);
    t.expect(isList, `${what}: data.fileList must be an array, not ${show(entries)}`, reply);
    if (!isList) continue;
    const wanted = fileList.length;
    const counts = `${what}: the list must have ${wanted} entries, not ${entries.length}`;
    t.expect(entries.length === wanted, counts, reply);
    const areObjects = entries.every((entry) => Object(entry) === entry);
    t.expect(areObjects, `${what}: every entry must be an object`, reply);
  }
  t.reach(judged > 0, `${operation} gave no data`);
}
