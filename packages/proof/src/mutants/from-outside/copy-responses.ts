import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { Json } from '../../proxy/messages.ts';
import { type Mutant, mutant } from '../mutant.ts';
import {
  any,
  copies,
  itemsOf,
  leaveOutAfter,
  list,
  type Patch,
  readsRequests,
  refuseAfter,
  request,
} from '../support/storage.ts';
import { deleteFile, listStored, plainPath, storeFile } from '../support/uploads.ts';

const COPY = 'batchCopyFile';

const onEntries = (
  rule: RuleId,
  breaks: string,
  isWanted: (entry: Json, item: Json) => unknown,
  patch: Patch,
): Mutant => mutant(rule, breaks, copies(isWanted, patch));

const onList = (
  rule: RuleId,
  breaks: string,
  change: (entries: Json[], items: Json[]) => unknown,
) => mutant(rule, breaks, list(COPY, change));

const isFailed = ({ code }: Json) => code;
const isDone = ({ code }: Json) => code === undefined;
const isMove = (_: Json, { removeOriginal }: Json) => removeOriginal;

/** Mutants that respond incorrectly to copies, as real stores do. */
export const copyResponses: readonly Mutant[] = [
  onList('ST-COPY-LIST', 'successful copies get no entry', (all) => all.filter(isFailed)),
  onList('ST-COPY-LIST', 'a duplicate item gets no entry of its own', (all, items) => {
    const texts = items.map((item) => JSON.stringify(item));
    return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index);
  }),
  onList('ST-COPY-LIST', 'one failure replaces the entries of all items', (all) =>
    all.every(isFailed) ? all.slice(0, 1) : all,
  ),
  onEntries('ST-COPY-FILE-ID', 'it is a number', isDone, { fileID: 7 }),
  onEntries('ST-COPY-FILE-ID', 'it is null with failures', isFailed, { fileID: null }),
  onEntries('ST-COPY-FILE-ID', 'it names a file that does not exist', isDone, (entry) => {
    entry.fileID += '-copy';
  }),
  onEntries('ST-COPY-FILE-ID-PRESENT', 'moves have none', isMove, { fileID: undefined }),
  onEntries('ST-COPY-FAILED', 'a failure has no message', any, { message: undefined }),
  onEntries('ST-COPY-FAILED', 'the code of a failure is a number', isFailed, { code: 404 }),
  onEntries(
    'ST-COPY-FAILED',
    'an invalid path has no message',
    ({ code }, { dstPath }) => code && /[^\w/.-]/.test(dstPath),
    { message: undefined },
  ),
  onEntries('ST-COPY-SUCCEEDED', 'it has code SUCCESS', isDone, { code: 'SUCCESS' }),
  onEntries('ST-COPY-SUCCEEDED', 'it has an empty message', isDone, { message: '' }),
  onEntries('ST-COPY-SUCCEEDED', 'it has code null', isDone, { code: null }),
  onEntries(
    'ST-COPY-SUCCEEDED',
    'a move has code SUCCESS',
    (entry, item) => isDone(entry) && isMove(entry, item),
    { code: 'SUCCESS' },
  ),
  mutant('ST-COPY-MISSING', 'it makes an empty file', (context) =>
    request(COPY, async (call) => {
      const stored = await listStored(context, call, 'srcPath');
      for (const { srcPath = '' } of itemsOf(call)) {
        if (/^\/[\w/-]+(\.\w+)?$/.test(srcPath) && !stored.has(srcPath))
          await storeFile(context, plainPath(srcPath));
      }
    }),
  ),
  onEntries(
    'ST-COPY-MISSING',
    'the move of a missing file is no failure',
    ({ code }, { removeOriginal }) => code === 'STORAGE_FILE_NONEXIST' && removeOriginal,
    { code: undefined, message: undefined },
  ),
  mutant(
    'ST-COPY-ALONE',
    'one missing file fails the call',
    refuseAfter(COPY, (all) => all.length > 1 && all.some(isFailed)),
  ),
  mutant('ST-COPY-ALONE', 'what follows a missing file is not copied', (context) =>
    leaveOutAfter(COPY, async (call) => {
      const stored = await listStored(context, call, 'srcPath');
      const first = itemsOf(call).findIndex(({ srcPath }) => srcPath && !stored.has(srcPath));
      return (_, index) =>
        first >= 0 && index > first ? { code: 'ABORTED', message: 'no' } : undefined;
    }),
  ),
  mutant('ST-COPY-ALONE', 'items before an invalid item are undone', (context) => ({
    ...readsRequests,
    async response(response, call) {
      const entries = response.json?.body?.data?.fileList;
      if (call.operation !== COPY || !entries?.some?.(isFailed)) return;
      for (const [index, { dstPath }] of itemsOf(call).entries())
        if (!entries[index]?.code) await deleteFile(context, plainPath(dstPath));
    },
  })),
];
