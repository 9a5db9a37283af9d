import {
  any,
  DELETE,
  entries,
  isOk,
  itemsOf,
  leaveOut,
  list,
  refuseAfter,
} from './hooks/storage.ts';
import type { Mutant, Rows } from './mutant.ts';

/** Deletes another file along with each file that is deleted. */
const deletesToo =
  (toOther: (path: string) => string): Mutant['create'] =>
  ({ remove }) => ({
    async response({ status }, call) {
      if (call.operation !== DELETE || status !== 200) return;
      for (const fileID of itemsOf(call)) {
        const path = fileID.replace(/^.*?(?=berth-)/, '');
        await remove(toOther(path));
      }
    },
  });

export const storageDelete: Rows = {
  'ST-DELETE-CALL: the third file of a list is not deleted, but its code is SUCCESS': leaveOut(
    DELETE,
    (fileID, index) => (index === 2 ? { fileID, code: 'SUCCESS' } : undefined),
  ),
  'ST-DELETE-ONLY: files whose names start with the name of the deleted file are deleted too':
    deletesToo((path) => `${path}.txt`),
  'ST-DELETE-ONLY: files whose names differ only in case are deleted too': deletesToo((path) =>
    path.replace(/[^/]+$/, (name) => name.toUpperCase()),
  ),
  'ST-DELETE-CALL: the code for a file that is deleted along with others is DELETED': list(
    DELETE,
    (all) => {
      const deleted = all.length === 1 ? [] : all.filter(isOk);
      for (const entry of deleted) entry.code = 'DELETED';
    },
  ),
  'ST-DELETE-MISSING: the code for a file that does not exist is SUCCESS': entries(DELETE, any, {
    code: 'SUCCESS',
  }),
  'ST-DELETE-MISSING: a missing file next to an existing one gets SUCCESS': list(DELETE, (all) => {
    for (const entry of all.some(isOk) ? all : []) entry.code = 'SUCCESS';
  }),
  'ST-DELETE-ALONE: a missing file in the first item causes the call to be rejected': refuseAfter(
    DELETE,
    ([first, ...rest]) => first?.code === 'STORAGE_FILE_NONEXIST' && rest.some(isOk),
  ),
  'ST-DELETE-ALONE: files after a missing one are not deleted': ({ readId }) => {
    let isOver = false;
    return leaveOut(DELETE, async (fileID, index) => {
      const isAfter = index > 0 && isOver;
      isOver = isAfter || (await readId(fileID)) === undefined;
      return isAfter ? { fileID, code: 'ABORTED' } : undefined;
    });
  },
};
