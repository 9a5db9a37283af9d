import type { Hooks, Json } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutantsOf } from '../mutant.ts';
import {
  any,
  deletions as entries,
  isBad,
  isOk,
  itemsOf,
  list,
  refuse,
  refuseAfter,
  request,
  toStorageResponse,
  unique,
} from '../support/storage.ts';
import { pathOf, readForm } from '../support/uploads.ts';
import { downloadsFromCache } from './links.ts';

const DELETE = 'batchDelete';

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
const deleteToo =
  (belongs: (id: string, deleted: string) => boolean) =>
  (context: MutantContext): Hooks => {
    const { granted, note } = rememberGranted();
    return {
      ...request(DELETE, async (call) => {
        const ids = itemsOf(call);
        const more = [...granted].filter(
          (id) => !ids.includes(id) && ids.some((one) => belongs(id, one)),
        );
        if (more.length > 0) await context.storage(DELETE, { fileList: more.slice(0, 50) });
      }),
      response: note,
    };
  };

const folderOf = (id: string) => id.replace(/[^/]+$/, '');

/** Mutants that handle deletions incorrectly, as some real object stores do. */
export const deletions: readonly Mutant[] = [
  ...mutantsOf('ST-DELETE-CALL', {
    'only the first file of a list is deleted': request(DELETE, (call) => {
      if (itemsOf(call).length > 1) call.json = { fileList: itemsOf(call).slice(0, 1) };
    }),
    'links created before still work': downloadsFromCache(404),
  }),
  ...mutantsOf('ST-DELETE-ONLY', {
    'files with a longer name are deleted too': deleteToo((id, deleted) => id.startsWith(deleted)),
    'files in the same folder are deleted too': deleteToo(
      (id, deleted) => folderOf(deleted).split('/').length > 4 && id.startsWith(folderOf(deleted)),
    ),
    'files whose names differ only in case are deleted too': deleteToo(
      (id, deleted) => id.toLowerCase() === deleted.toLowerCase(),
    ),
  }),
  ...mutantsOf('ST-DELETE-LIST', {
    'a duplicate file gets no entry of its own': list(DELETE, unique),
    'missing files get no entry': list(DELETE, (all) => all.filter(isOk)),
    'it is empty if everything succeeded': list(DELETE, (all) => (all.every(isOk) ? [] : all)),
  }),
  ...mutantsOf('ST-DELETE-FILE-ID', {
    'it is the path': entries(any, (entry) => {
      entry.fileID = pathOf(entry.fileID);
    }),
    'that of a missing file is null': entries(isBad, { fileID: null }),
  }),
  ...mutantsOf('ST-DELETE-CODE', {
    'it is missing for a deleted file': entries(isOk, { code: undefined }),
    'it is OK for a deleted file': entries(isOk, { code: 'OK' }),
    'it is a number for a missing file': entries(isBad, { code: 404 }),
  }),
  ...mutantsOf('ST-DELETE-MISSING', {
    'a missing file gets SUCCESS, as in object stores': entries(
      ({ code }) => code === 'STORAGE_FILE_NONEXIST',
      { code: 'SUCCESS' },
    ),
    'the second deletion gets SUCCESS': () => {
      const deleted = new Set<string>();
      return entries(any, (entry) => {
        if (isOk(entry)) deleted.add(entry.fileID);
        else if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
      });
    },
    'a file that was granted but never uploaded gets SUCCESS': () => {
      const { granted, note } = rememberGranted();
      const { response } = entries(({ fileID }) => granted.has(fileID), { code: 'SUCCESS' });
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
  }),
  ...mutantsOf('ST-DELETE-ALONE', {
    'one missing file fails the call, though the others are deleted': refuseAfter(
      DELETE,
      (all) => all.length > 1 && all.some(isBad),
    ),
    'what follows a missing file stays': ({ storage }) =>
      request(DELETE, async (call) => {
        if (itemsOf(call).length < 2) return;
        const fileList: Json[] = [];
        for (const fileID of itemsOf(call)) {
          const isOver = fileList.some(isBad);
          const data = isOver ? undefined : await storage(DELETE, { fileList: [fileID] });
          const [entry] = (data?.fileList ?? []) as Json[];
          fileList.push(entry ?? { fileID, code: 'STORAGE_FILE_NONEXIST' });
        }
        return toStorageResponse(200, { data: { fileList } });
      }),
    'a file ID in another form fails the call': refuse((call) => {
      const ids = call.operation === DELETE ? itemsOf(call) : [];
      return ids.length > 1 && ids.some((id) => !/^cloud:\/\/[^/]+\/./.test(id));
    }),
  }),
];
