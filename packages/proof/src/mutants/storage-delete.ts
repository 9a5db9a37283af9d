import { type Hooks, type Json, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { MutantContext, Rows } from './mutant.ts';
import { downloadsFromCache } from './storage-links.ts';
import {
  any,
  changeList,
  deletions,
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
import { pathOf, readFile, readForm } from './support/uploads.ts';

/** Deletes more than was requested: the files with these IDs. */
const deleteToo = (toId: (id: string) => string) => (context: MutantContext) =>
  request('batchDelete', async (call) => {
    const fileList = itemsOf(call).map(toId);
    if (fileList.length > 0) await context.storage('batchDelete', { fileList });
  });

/** Returns the files of a deletion before it is made; `undefined` for those that do not exist. */
const filesOf = (context: MutantContext, call: MutatedRequest) =>
  Promise.all(itemsOf(call).map((id) => readFile(context, id)));

/** Remembers the file IDs of the uploads that were granted. */
function rememberGranted() {
  const granted = new Set<string>();
  const note = ({ json }: { json: Json }, { operation }: { operation: string | undefined }) => {
    const id = json?.body?.data?.fileID;
    if (operation === 'getUploadMetaData' && id) granted.add(id);
  };
  return { granted, note };
}

/** Deletes other files too: of those granted so far the ones that belong to a deleted one. */
const deleteRelated =
  (belongs: (id: string, deleted: string) => boolean) =>
  (context: MutantContext): Hooks => {
    const { granted, note } = rememberGranted();
    return {
      ...request('batchDelete', async (call) => {
        const ids = itemsOf(call);
        const more = [...granted].filter(
          (id) => !ids.includes(id) && ids.some((one) => belongs(id, one)),
        );
        if (more.length > 0) await context.storage('batchDelete', { fileList: more.slice(0, 50) });
      }),
      response: note,
    };
  };
const folderOf = (id: string) => id.replace(/[^/]+$/, '');

export const storageDelete: Rows = {
  'ST-DELETE-CALL': {
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
    'from the fourth item on, files are not deleted': leaveOut('batchDelete', (fileID, index) =>
      index > 2 ? { fileID, code: 'SUCCESS' } : undefined,
    ),
    'only the first file of a list is deleted': request('batchDelete', (call) => {
      if (itemsOf(call).length > 1) call.json = { fileList: itemsOf(call).slice(0, 1) };
    }),
    'links created before still work': downloadsFromCache(404),
  },
  'ST-DELETE-ONLY': {
    'files whose names start with the name of the deleted file are deleted too': deleteToo(
      (id) => `${id}.txt`,
    ),
    'a folder can be deleted like a file, with everything in it': deleteToo(
      (id) => `${id}/inner.txt`,
    ),
    'files in the same folder are deleted too': deleteRelated(
      (id, deleted) => folderOf(deleted).split('/').length > 4 && id.startsWith(folderOf(deleted)),
    ),
    'files whose names differ only in case are deleted too': deleteRelated(
      (id, deleted) => id.toLowerCase() === deleted.toLowerCase(),
    ),
  },
  'ST-DELETE-LIST': {
    'a missing file gets no entry': list('batchDelete', (entries) => entries.filter(isOk)),
    'only the first ten items get an entry': list('batchDelete', (all) => all.slice(0, 10)),
    'a duplicate file gets no entry of its own': list('batchDelete', unique),
    'it is empty if everything succeeded': list('batchDelete', (all) =>
      all.every(isOk) ? [] : all,
    ),
  },
  'ST-DELETE-FILE-ID': {
    'the fileID of an entry is only the file name': deletions(any, (entry) => {
      entry.fileID = entry.fileID.split('/').at(-1);
    }),
    'it is the path': deletions(any, (entry) => {
      entry.fileID = pathOf(entry.fileID);
    }),
    'that of a missing file is null': deletions(isBad, { fileID: null }),
  },
  'ST-DELETE-CODE': {
    'the code for a file that is deleted along with others is DELETED': list(
      'batchDelete',
      (entries) => {
        const deleted = entries.length === 1 ? [] : entries.filter(isOk);
        for (const entry of deleted) entry.code = 'DELETED';
      },
    ),
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
    'a file that was granted but never uploaded gets SUCCESS': () => {
      const { granted, note } = rememberGranted();
      const { response } = deletions(({ fileID }) => granted.has(fileID), { code: 'SUCCESS' });
      return {
        request(call) {
          if (!call.isUpload) return;
          const key = String(readForm(call).get('key'));
          for (const id of granted) if (id.endsWith(`/${key}`)) granted.delete(id);
        },
        response(message, call) {
          note(message, call);
          return response?.(message, call);
        },
      };
    },
  },
  'ST-DELETE-ALONE': {
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
    'one missing file fails the call, though the others are deleted': refuseAfter(
      'batchDelete',
      (all) => all.length > 1 && all.some(isBad),
    ),
    'a file ID in another form fails the call': refuse((call) => {
      const ids = call.operation === 'batchDelete' ? itemsOf(call) : [];
      return ids.length > 1 && ids.some((id) => !/^cloud:\/\/[^/]+\/./.test(id));
    }),
  },
};
