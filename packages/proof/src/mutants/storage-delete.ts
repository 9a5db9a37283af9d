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
  refuse,
  refuseAfter,
  request,
  toStorageRefusal,
  unique,
} from './support/storage.ts';
import { pathOf } from './support/uploads.ts';

/** Returns the files of a deletion before it is made; `undefined` for those that do not exist. */
const filesOf = ({ readId }: MutantContext, call: MutatedRequest) =>
  Promise.all(itemsOf(call).map(readId));

const folderOf = (id: string) => id.replace(/[^/]+$/, '');

export const storageDelete: Rows = {
  'ST-DELETE-CALL': {
    'the third of several files is not deleted, but its code is SUCCESS': (context) =>
      leaveOutAfter(DELETE, async (call) => {
        const files = await filesOf(context, call);
        const isWanted = files.length > 2 && !files.includes(undefined);
        return (fileID, index) =>
          isWanted && index === 2 ? { fileID, code: 'SUCCESS' } : undefined;
      }),
    'from the fourth item on, files are not deleted': leaveOut(DELETE, (fileID, index) =>
      index > 2 ? { fileID, code: 'SUCCESS' } : undefined,
    ),
    'only the first file of a list is deleted': request(DELETE, (call) => {
      if (itemsOf(call).length > 1) call.json = { fileList: itemsOf(call).slice(0, 1) };
    }),
  },
  'ST-DELETE-ONLY': {
    'files whose names start with the name of the deleted file are deleted too': deletesToo(
      (other, deleted) => other === `${deleted}.txt`,
    ),
    'a folder can be deleted like a file, with everything in it': ({ storage }) =>
      request(DELETE, async (call) => {
        const fileList = itemsOf(call).map((id) => `${id}/inner.txt`);
        if (fileList.length > 0) await storage(DELETE, { fileList });
      }),
    'files in the same folder are deleted too': deletesToo(
      (other, deleted) => deleted.includes('/') && other.startsWith(folderOf(deleted)),
    ),
    'files whose names differ only in case are deleted too': deletesToo(
      (other, deleted) => other.toLowerCase() === deleted.toLowerCase(),
    ),
  },
  'ST-DELETE-LIST': {
    'a missing file gets no entry': list(DELETE, (entries) => entries.filter(isOk)),
    'only the first ten items get an entry': list(DELETE, (all) => all.slice(0, 10)),
    'a duplicate file gets no entry of its own': list(DELETE, unique),
    'it is empty if everything succeeded': list(DELETE, (all) => (all.every(isOk) ? [] : all)),
  },
  'ST-DELETE-FILE-ID': {
    'the fileID of an entry is only the file name': deletions(any, { fileID: drop(/^.*\//) }),
    'it is the path': deletions(any, { fileID: pathOf }),
    'that of a missing file is null': deletions(isBad, { fileID: null }),
  },
  'ST-DELETE-CODE': {
    'the code for a file that is deleted along with others is DELETED': list(DELETE, (entries) => {
      const deleted = entries.length === 1 ? [] : entries.filter(isOk);
      for (const entry of deleted) entry.code = 'DELETED';
    }),
    'it is missing for a deleted file': deletions(isOk, { code: undefined }),
    'it is OK for a deleted file': deletions(isOk, { code: 'OK' }),
    'it is a number for a missing file': deletions(isBad, { code: 404 }),
    'a deletion by it finds nothing': deletions(isOk, { code: 'STORAGE_FILE_NONEXIST' }),
  },
  'ST-DELETE-MISSING': {
    'the code for a file that does not exist is SUCCESS': deletions(any, { code: 'SUCCESS' }),
    'a file can be deleted a second time': () => {
      const deleted = new Set<string>();
      return deletions(any, (entry) => {
        if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
        if (isOk(entry)) deleted.add(entry.fileID);
      });
    },
    'a file that was granted but never uploaded gets SUCCESS': watching(() => {
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
  },
  'ST-DELETE-ALONE': {
    'a missing file in the first item causes the call to be rejected': (context) =>
      request(DELETE, async (call) => {
        const [first, ...rest] = await filesOf(context, call);
        const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
        return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
      }),
    'files after a missing one are not deleted': (context) =>
      leaveOutAfter(DELETE, async (call) => {
        const first = (await filesOf(context, call)).indexOf(undefined);
        return (fileID, index) =>
          first >= 0 && index > first ? { fileID, code: 'ABORTED' } : undefined;
      }),
    'one missing file fails the call, though the others are deleted': refuseAfter(
      DELETE,
      (all) => all.length > 1 && all.some(isBad),
    ),
    'a file ID in another form fails the call': refuse((call) => {
      const ids = call.operation === DELETE ? itemsOf(call) : [];
      return ids.length > 1 && ids.some((id) => !/^cloud:\/\/[^/]+\/./.test(id));
    }),
  },
};
