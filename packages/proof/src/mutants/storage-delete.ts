import type { MutatedRequest } from '../proxy/messages.ts';
import { MutatedResponse } from '../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant, mutantsOf } from './mutant.ts';
import {
  any,
  changeList,
  deletions,
  isOk,
  itemsOf,
  leaveOutAfter,
  list,
  request,
  toStorageRefusal,
} from './support/storage.ts';
import { readFile } from './support/uploads.ts';

/** Deletes more than was requested: the files with these IDs. */
const deleteToo = (toId: (id: string) => string) => (context: MutantContext) =>
  request('batchDelete', async (call) => {
    const fileList = itemsOf(call).map(toId);
    if (fileList.length > 0) await context.storage('batchDelete', { fileList });
  });

/** Returns the files of a deletion before it is made; `undefined` for those that do not exist. */
const filesOf = (context: MutantContext, call: MutatedRequest) =>
  Promise.all(itemsOf(call).map((id) => readFile(context, id)));

export const storageDelete: readonly Mutant[] = [
  ...mutantsOf('ST-DELETE-CALL', {
    'the third of several files is not deleted, but its code is SUCCESS': (context) =>
      leaveOutAfter('batchDelete', async (call) => {
        const files = await filesOf(context, call);
        const isWanted = files.length > 2 && !files.includes(undefined);
        return (fileID, index) =>
          isWanted && index === 2 ? { fileID, code: 'SUCCESS' } : undefined;
      }),
    'a link to a deleted file still works, because of a cache': (context) => {
      const links = new Map<string, string[]>();
      const cache = new Map<string, Buffer>();
      return {
        async request(one) {
          const { operation, target, isDownload } = one;
          for (const id of operation === 'batchDelete' ? itemsOf(one) : []) {
            const bytes = await readFile(context, id);
            for (const link of links.get(id) ?? []) if (bytes) cache.set(link, bytes);
          }
          const cached = isDownload ? cache.get(target) : undefined;
          return cached && new MutatedResponse(200, {}, cached);
        },
        response(response, { operation }) {
          if (operation !== 'batchGetTempUrls') return;
          changeList(response, (entries) => {
            for (const { fileID, tempFileURL } of entries.filter(isOk)) {
              const { pathname, search } = new URL(tempFileURL);
              links.set(fileID, [...(links.get(fileID) ?? []), pathname + search]);
            }
          });
        },
      };
    },
  }),
  ...mutantsOf('ST-DELETE-ONLY', {
    'files whose names start with the name of the deleted file are deleted too': deleteToo(
      (id) => `${id}.txt`,
    ),
    'a folder can be deleted like a file, with everything in it': deleteToo(
      (id) => `${id}/inner.txt`,
    ),
  }),
  mutant(
    'ST-DELETE-LIST',
    'a missing file gets no entry',
    list('batchDelete', (entries) => entries.filter(isOk)),
  ),
  mutant(
    'ST-DELETE-FILE-ID',
    'the fileID of an entry is only the file name',
    deletions(any, (entry) => {
      entry.fileID = entry.fileID.split('/').at(-1);
    }),
  ),
  mutant(
    'ST-DELETE-CODE',
    'the code for a file that is deleted along with others is DELETED',
    list('batchDelete', (entries) => {
      const deleted = entries.length === 1 ? [] : entries.filter(isOk);
      for (const entry of deleted) entry.code = 'DELETED';
    }),
  ),
  ...mutantsOf('ST-DELETE-MISSING', {
    'the code for a file that does not exist is SUCCESS': deletions(any, { code: 'SUCCESS' }),
    'a file can be deleted a second time': () => {
      const deleted = new Set<string>();
      return deletions(any, (entry) => {
        if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
        if (isOk(entry)) deleted.add(entry.fileID);
      });
    },
  }),
  ...mutantsOf('ST-DELETE-ALONE', {
    'a missing file in the first item causes the call to be rejected': (context) =>
      request('batchDelete', async (call) => {
        const [first, ...rest] = await filesOf(context, call);
        const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
        return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
      }),
    'files after a missing one are not deleted': (context) =>
      leaveOutAfter('batchDelete', async (call) => {
        const first = (await filesOf(context, call)).indexOf(undefined);
        return (fileID, index) =>
          first >= 0 && index > first ? { fileID, code: 'ABORTED' } : undefined;
      }),
  }),
];
