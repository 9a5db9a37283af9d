import type { Rows } from './mutant.ts';
import { drop } from './support/gateway.ts';
import { deletesToo } from './support/history.ts';
import {
  any,
  DELETE,
  deletions,
  isOk,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  list,
  refuseAfter,
} from './support/storage.ts';

export const storageDelete: Rows = {
  'ST-DELETE-CALL: the third file of a list is not deleted, but its code is SUCCESS': leaveOut(
    DELETE,
    (fileID, index) => (index === 2 ? { fileID, code: 'SUCCESS' } : undefined),
  ),
  'ST-DELETE-ONLY: files whose names start with the name of the deleted file are deleted too':
    deletesToo((other, deleted) => other === `${deleted}.txt`),
  'ST-DELETE-ONLY: files whose names differ only in case are deleted too': deletesToo(
    (other, deleted) => other.toLowerCase() === deleted.toLowerCase(),
  ),
  'ST-LISTS/1: a missing file gets no entry': list(DELETE, (entries) => entries.filter(isOk)),
  'ST-LISTS/2: the fileID of an entry is only the file name': deletions(any, {
    fileID: drop(/^.*\//),
  }),
  'ST-DELETE-CALL: the code for a file that is deleted along with others is DELETED': list(
    DELETE,
    (entries) => {
      const deleted = entries.length === 1 ? [] : entries.filter(isOk);
      for (const entry of deleted) entry.code = 'DELETED';
    },
  ),
  'ST-DELETE-MISSING: the code for a file that does not exist is SUCCESS': deletions(any, {
    code: 'SUCCESS',
  }),
  'ST-DELETE-MISSING: a missing file next to an existing one gets SUCCESS': list(
    DELETE,
    (entries) => {
      for (const entry of entries.some(isOk) ? entries : []) entry.code = 'SUCCESS';
    },
  ),
  'ST-DELETE-ALONE: a missing file in the first item causes the call to be rejected': refuseAfter(
    DELETE,
    ([first, ...rest]) => first?.code === 'STORAGE_FILE_NONEXIST' && rest.some(isOk),
  ),
  'ST-DELETE-ALONE: files after a missing one are not deleted': ({ readId }) =>
    leaveOutAfter(DELETE, async (call) => {
      const files = await Promise.all(itemsOf(call).map(readId));
      const first = files.indexOf(undefined);
      return (fileID, index) =>
        first >= 0 && index > first ? { fileID, code: 'ABORTED' } : undefined;
    }),
};
