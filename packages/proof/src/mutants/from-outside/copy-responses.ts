import type { Json } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  any,
  copies,
  itemsOf,
  leaveOutAfter,
  list,
  readsRequests,
  refuseAfter,
  request,
} from '../support/storage.ts';
import { deleteFile, listStored, plainPath, storeFile } from '../support/uploads.ts';

const COPY = 'batchCopyFile';

const isFailed = ({ code }: Json) => code;
const isDone = ({ code }: Json) => code === undefined;
const isMove = (_: Json, { removeOriginal }: Json) => removeOriginal;

/** Mutants that respond incorrectly to copies, as some real stores do. */
export const copyResponses: readonly Mutant[] = [
  ...mutantsOf('ST-COPY-LIST', {
    'successful copies get no entry': list(COPY, (all) => all.filter(isFailed)),
    'a duplicate item gets no entry of its own': list(COPY, (all, items) => {
      const texts = items.map((item) => JSON.stringify(item));
      return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index);
    }),
    'one failure replaces the entries of all items': list(COPY, (all) =>
      all.every(isFailed) ? all.slice(0, 1) : all,
    ),
  }),
  ...mutantsOf('ST-COPY-FILE-ID', {
    'it is a number': copies(isDone, { fileID: 7 }),
    'it is null with failures': copies(isFailed, { fileID: null }),
    'it names a file that does not exist': copies(isDone, (entry) => {
      entry.fileID += '-copy';
    }),
  }),
  mutant('ST-COPY-FILE-ID-PRESENT', 'moves have none', copies(isMove, { fileID: undefined })),
  ...mutantsOf('ST-COPY-FAILED', {
    'a failure has no message': copies(any, { message: undefined }),
    'the code of a failure is a number': copies(isFailed, { code: 404 }),
    'an invalid path has no message': copies(
      ({ code }, { dstPath }) => code && /[^\w/.-]/.test(dstPath),
      { message: undefined },
    ),
  }),
  ...mutantsOf('ST-COPY-SUCCEEDED', {
    'it has code SUCCESS': copies(isDone, { code: 'SUCCESS' }),
    'it has an empty message': copies(isDone, { message: '' }),
    'it has code null': copies(isDone, { code: null }),
    'a move has code SUCCESS': copies((entry, item) => isDone(entry) && isMove(entry, item), {
      code: 'SUCCESS',
    }),
  }),
  ...mutantsOf('ST-COPY-MISSING', {
    'it makes an empty file': (context) =>
      request(COPY, async (call) => {
        const stored = await listStored(context, call, 'srcPath');
        for (const { srcPath = '' } of itemsOf(call)) {
          if (/^\/[\w/-]+(\.\w+)?$/.test(srcPath) && !stored.has(srcPath))
            await storeFile(context, plainPath(srcPath));
        }
      }),
    'the move of a missing file is not a failure': copies(
      ({ code }, { removeOriginal }) => code === 'STORAGE_FILE_NONEXIST' && removeOriginal,
      { code: undefined, message: undefined },
    ),
  }),
  ...mutantsOf('ST-COPY-ALONE', {
    'one missing file fails the call': refuseAfter(
      COPY,
      (all) => all.length > 1 && all.some(isFailed),
    ),
    'what follows a missing file is not copied': (context) =>
      leaveOutAfter(COPY, async (call) => {
        const stored = await listStored(context, call, 'srcPath');
        const first = itemsOf(call).findIndex(({ srcPath }) => srcPath && !stored.has(srcPath));
        return (_, index) =>
          first >= 0 && index > first ? { code: 'ABORTED', message: 'no' } : undefined;
      }),
    'items before an invalid item are undone': (context) => ({
      ...readsRequests,
      async response(response, call) {
        const entries = response.json?.body?.data?.fileList;
        if (call.operation !== COPY || !entries?.some?.(isFailed)) return;
        for (const [index, { dstPath }] of itemsOf(call).entries())
          if (!entries[index]?.code) await deleteFile(context, plainPath(dstPath));
      },
    }),
  }),
];
