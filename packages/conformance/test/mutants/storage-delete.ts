import type { MutatedRequest } from '../proxy/messages.ts';
import type { MutantContext, Rows } from './mutant.ts';
import { drop } from './support/gateway.ts';
import { deletesToo, toPath, watching } from './support/history.ts';
import {
  any,
  DELETE,
  deletions,
  GRANT,
  isBad,
  isOk,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  list,
  request,
  toStorageRefusal,
  unique,
} from './support/storage.ts';

/** Returns the files of a deletion before it is made; `undefined` for those that do not exist. */
const filesOf = ({ readId }: MutantContext, call: MutatedRequest) =>
  Promise.all(itemsOf(call).map(readId));

export const storageDelete: Rows = {
  'ST-DELETE-CALL/1: the third file of a list is not deleted, but its code is SUCCESS': leaveOut(
    DELETE,
    (fileID, index) => (index === 2 ? { fileID, code: 'SUCCESS' } : undefined),
  ),
  'ST-DELETE-CALL/1: only the first file of a list is deleted': request(DELETE, (call) => {
    if (itemsOf(call).length > 1) call.json = { fileList: itemsOf(call).slice(0, 1) };
  }),
  'ST-DELETE-ONLY: files whose names start with the name of the deleted file are deleted too':
    deletesToo((other, deleted) => other === `${deleted}.txt`),
  'ST-DELETE-ONLY: files whose names differ only in case are deleted too': deletesToo(
    (other, deleted) => other.toLowerCase() === deleted.toLowerCase(),
  ),
  'ST-LISTS/1: a missing file gets no entry': list(DELETE, (entries) => entries.filter(isOk)),
  'ST-LISTS/1: a duplicate file gets no entry of its own': list(DELETE, unique),
  'ST-LISTS/2: the fileID of an entry is only the file name': deletions(any, {
    fileID: drop(/^.*\//),
  }),
  'ST-LISTS/2: that of a missing file is null': deletions(isBad, { fileID: null }),
  'ST-DELETE-CALL/2: the code for a file that is deleted along with others is DELETED': list(
    DELETE,
    (entries) => {
      const deleted = entries.length === 1 ? [] : entries.filter(isOk);
      for (const entry of deleted) entry.code = 'DELETED';
    },
  ),
  'ST-RESPONSE: the code for a missing file is a number': deletions(isBad, { code: 404 }),
  'ST-DELETE-MISSING: the code for a file that does not exist is SUCCESS': deletions(any, {
    code: 'SUCCESS',
  }),
  'ST-DELETE-MISSING: a file that was granted but never uploaded gets SUCCESS': watching(() => {
    const granted = new Set<string>();
    const hooks = deletions(({ fileID }) => granted.has(toPath(fileID)), { code: 'SUCCESS' });
    return {
      response(response, call) {
        if (call.operation === GRANT) granted.add(toPath(call.json?.path));
        return hooks.response?.(response, call);
      },
      uploaded: (path) => granted.delete(path),
    };
  }),
  'ST-DELETE-ALONE: a missing file in the first item causes the call to be rejected': (context) =>
    request(DELETE, async (call) => {
      const [first, ...rest] = await filesOf(context, call);
      const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
      return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
    }),
  'ST-DELETE-ALONE: files after a missing one are not deleted': (context) =>
    leaveOutAfter(DELETE, async (call) => {
      const first = (await filesOf(context, call)).indexOf(undefined);
      return (fileID, index) =>
        first >= 0 && index > first ? { fileID, code: 'ABORTED' } : undefined;
    }),
};
