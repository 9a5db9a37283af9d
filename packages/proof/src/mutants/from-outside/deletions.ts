import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { Json } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant } from '../mutant.ts';
import {
  any,
  deletions as entries,
  isBad,
  isOk,
  itemsOf,
  list,
  type Patch,
  refuse,
  refuseAfter,
  request,
  toStorageResponse,
  unique,
} from '../support/storage.ts';
import { pathOf, readForm } from '../support/uploads.ts';
import { downloadsFromCache } from './links.ts';

const DELETE = 'batchDelete';

const onEntries = (
  rule: RuleId,
  breaks: string,
  isWanted: (entry: Json) => unknown,
  patch: Patch,
): Mutant => mutant(rule, breaks, entries(isWanted, patch));

const onList = (rule: RuleId, breaks: string, change: (entries: Json[]) => unknown): Mutant =>
  mutant(rule, breaks, list(DELETE, change));

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
const deleteToo = (breaks: string, belongs: (id: string, deleted: string) => boolean): Mutant =>
  mutant('ST-DELETE-ONLY', breaks, (context: MutantContext) => {
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
  });

const folderOf = (id: string) => id.replace(/[^/]+$/, '');

/** Mutants that handle deletions incorrectly, as real object stores do. */
export const deletions: readonly Mutant[] = [
  mutant(
    'ST-DELETE-CALL',
    'only the first file of a list is deleted',
    request(DELETE, (call) => {
      if (itemsOf(call).length > 1) call.json = { fileList: itemsOf(call).slice(0, 1) };
    }),
  ),
  mutant('ST-DELETE-CALL', 'links created before still work', downloadsFromCache(404)),
  deleteToo('files with a longer name are deleted too', (id, deleted) => id.startsWith(deleted)),
  deleteToo(
    'files of the same folder are deleted too',
    (id, deleted) => folderOf(deleted).split('/').length > 4 && id.startsWith(folderOf(deleted)),
  ),
  deleteToo(
    'files whose names differ only in case are deleted too',
    (id, deleted) => id.toLowerCase() === deleted.toLowerCase(),
  ),
  onList('ST-DELETE-LIST', 'a duplicate file gets no entry of its own', unique),
  onList('ST-DELETE-LIST', 'missing files get no entry', (all) => all.filter(isOk)),
  onList('ST-DELETE-LIST', 'it is empty if everything succeeded', (all) =>
    all.every(isOk) ? [] : all,
  ),
  onEntries('ST-DELETE-FILE-ID', 'it is the path', any, (entry) => {
    entry.fileID = pathOf(entry.fileID);
  }),
  onEntries('ST-DELETE-FILE-ID', 'that of a missing file is null', isBad, { fileID: null }),
  onEntries('ST-DELETE-CODE', 'it is missing for a deleted file', isOk, { code: undefined }),
  onEntries('ST-DELETE-CODE', 'it is OK for a deleted file', isOk, { code: 'OK' }),
  onEntries('ST-DELETE-CODE', 'it is a number for a missing file', isBad, { code: 404 }),
  onEntries(
    'ST-DELETE-MISSING',
    'a missing file is SUCCESS, like in object stores',
    ({ code }) => code === 'STORAGE_FILE_NONEXIST',
    { code: 'SUCCESS' },
  ),
  mutant('ST-DELETE-MISSING', 'the second deletion is SUCCESS', () => {
    const deleted = new Set<string>();
    return entries(any, (entry) => {
      if (isOk(entry)) deleted.add(entry.fileID);
      else if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
    });
  }),
  mutant('ST-DELETE-MISSING', 'a file that was granted and never uploaded is SUCCESS', () => {
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
  }),
  mutant(
    'ST-DELETE-ALONE',
    'one missing file fails the call, though the others are deleted',
    refuseAfter(DELETE, (all) => all.length > 1 && all.some(isBad)),
  ),
  mutant('ST-DELETE-ALONE', 'what follows a missing file stays', ({ storage }) =>
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
  ),
  mutant(
    'ST-DELETE-ALONE',
    'a file ID in another form fails the call',
    refuse((call) => {
      const ids = call.operation === DELETE ? itemsOf(call) : [];
      return ids.length > 1 && ids.some((id) => !/^cloud:\/\/[^/]+\/./.test(id));
    }),
  ),
];
