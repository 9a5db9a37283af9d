import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  COPY,
  copies,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  list,
  refuseAfter,
  request,
  successBody,
  toStorageRefusal,
} from './support/storage.ts';
import { listStored } from './support/uploads.ts';

const isFailed = ({ code }: Json) => code;
const isDone = ({ code }: Json) => code === undefined;
const isMove = (_: Json, { removeOriginal }: Json) => removeOriginal;
const MISSING = 'STORAGE_FILE_NONEXIST';

export const storageCopyResponses: Rows = {
  'ST-COPY-LIST': {
    'a failed item has no entry': list(COPY, (all) => all.filter(isDone)),
    'the fileList for a single copy is the entry itself': successBody(({ data }) => {
      if (data.fileList.length === 1) data.fileList = data.fileList[0];
    }, COPY),
    'only the first ten items get an entry': list(COPY, (all) => all.slice(0, 10)),
    'successful copies get no entry': list(COPY, (all) => all.filter(isFailed)),
    'a duplicate item gets no entry of its own': list(COPY, (all, items) => {
      const texts = items.map((item) => JSON.stringify(item));
      return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index);
    }),
    'one failure replaces the entries of all items': list(COPY, (all) =>
      all.every(isFailed) ? all.slice(0, 1) : all,
    ),
  },
  'ST-COPY-FILE-ID': {
    'the fileID of an entry does not belong to any file': copies(isDone, {
      fileID: (id) => `${id}.copied`,
    }),
    'the fileID of a failed entry is 0': copies(isFailed, { fileID: 0 }),
    'it is a number': copies(isDone, { fileID: 7 }),
    'it is null with failures': copies(isFailed, { fileID: null }),
  },
  'ST-COPY-FILE-ID-PRESENT': {
    'the entry for a move has no fileID': copies(isMove, { fileID: undefined }),
  },
  'ST-COPY-FAILED': {
    'the entry for a missing source has no message': copies(MISSING, { message: undefined }),
    'the code for an existing destination is a number': copies('OBJECT_ALREADY_EXIST', {
      code: 409,
    }),
    'an invalid path has no message': copies('INVALID_PARAM', { message: undefined }),
  },
  'ST-COPY-SUCCEEDED': {
    'the entry for a successful copy has the code SUCCESS': copies(isDone, { code: 'SUCCESS' }),
    'the entry for a successful copy has an empty message': copies(isDone, { message: '' }),
    'it has code null': copies(isDone, { code: null }),
    'a move has code SUCCESS': copies((entry, item) => isDone(entry) && isMove(entry, item), {
      code: 'SUCCESS',
    }),
  },
  'ST-COPY-MISSING': {
    'copying a missing file succeeds': list(COPY, (all) =>
      all.map((entry) => (entry.code === MISSING ? {} : entry)),
    ),
    'copying a missing file fails, but creates an empty destination': (context) =>
      request(COPY, async (call) => {
        const sources = await listStored(context, call, 'srcPath');
        const destinations = await listStored(context, call, 'dstPath');
        for (const { srcPath, dstPath, overwrite } of itemsOf(call)) {
          const isWanted = srcPath && dstPath && overwrite === undefined;
          if (isWanted && !sources.has(srcPath) && !destinations.has(dstPath))
            await context.store(dstPath);
        }
      }),
    'it makes an empty file': (context) =>
      request(COPY, async (call) => {
        const stored = await listStored(context, call, 'srcPath');
        for (const { srcPath = '' } of itemsOf(call)) {
          if (/^\/[\w/-]+(\.\w+)?$/.test(srcPath) && !stored.has(srcPath))
            await context.store(srcPath);
        }
      }),
    'the move of a missing file is not a failure': copies(
      ({ code }, { removeOriginal }) => code === MISSING && removeOriginal,
      { code: undefined, message: undefined },
    ),
  },
  'ST-COPY-ALONE': {
    'a missing source in the first item causes the call to be rejected': (context) =>
      request(COPY, async (call) => {
        const sources = await listStored(context, call, 'srcPath');
        const isMissing = sources.size > 0 && !sources.has(itemsOf(call)[0].srcPath);
        return isMissing ? toStorageRefusal(404, MISSING) : undefined;
      }),
    'items after one whose destination exists are not copied': () => {
      let isOver = false;
      return leaveOut(COPY, ({ overwrite }, index) => {
        const isAfter = index > 0 && isOver;
        isOver = isAfter || overwrite === false;
        return isAfter ? { code: 'ABORTED', message: 'aborted' } : undefined;
      });
    },
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
    'items before an invalid item are undone': ({ remove }) => ({
      async response(response, call) {
        const entries = response.json?.body?.data?.fileList;
        if (call.operation !== COPY || !entries?.some?.(isFailed)) return;
        for (const [index, { dstPath }] of itemsOf(call).entries())
          if (!entries[index]?.code) await remove(dstPath);
      },
    }),
  },
};
