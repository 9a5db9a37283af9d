import type { Json } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import {
  afterCopies,
  changeItems,
  copies,
  items,
  itemsOf,
  leaveOut,
  leaveOutAfter,
  request,
} from './support/storage.ts';
import { deleteFile, listStored, plainPath, storeFile } from './support/uploads.ts';

const isIncomplete = (item: object) => 'srcPath' in item !== 'dstPath' in item;

/** Makes only the item without a field fail, not the call. */
const failWithout = (name: string) =>
  leaveOut('batchCopyFile', (item) =>
    isIncomplete(item) && !(name in item)
      ? { code: 'INVALID_PARAM', message: `${name} is missing.` }
      : undefined,
  );

/** Replaces the value of a copy flag. */
const replaceFlag = (name: 'overwrite' | 'removeOriginal', from: unknown, to: boolean) =>
  items('batchCopyFile', (item) => {
    if (item[name] === from) item[name] = to;
  });

/** Acts on each item of a copy after it. */
const after =
  (act: (context: MutantContext, item: Json, entry: Json) => unknown): Mutant['create'] =>
  (context) =>
    afterCopies((item, entry) => act(context, item, entry));

/** Removes the source of a move that failed. */
const sourceIsGone = (isWanted: (item: Json, entry: Json) => unknown) =>
  after(async (context, item, entry) => {
    if (item.removeOriginal && entry?.code && isWanted(item, entry))
      await deleteFile(context, plainPath(item.srcPath));
  });

export const storageCopy: Rows = {
  'ST-COPY-CALL': {
    'an empty file is not copied, and its entry reports no failure': (context) =>
      leaveOutAfter('batchCopyFile', async (call) => {
        const empty = await listStored(context, call, 'srcPath', (bytes) => bytes.length === 0);
        return ({ srcPath }) => (empty.has(srcPath) ? {} : undefined);
      }),
    'from the fourth item on, files are not copied': leaveOut('batchCopyFile', (_, index) =>
      index > 2 ? {} : undefined,
    ),
    'from the fourth item on, the source of the first item is copied': request(
      'batchCopyFile',
      (call) => {
        const all = itemsOf(call);
        if (all.length < 4 || all.some(({ srcPath }) => !srcPath)) return;
        const fileList = all.map((item, index) =>
          index > 2 ? { ...item, srcPath: all[0].srcPath } : item,
        );
        call.json = { ...call.json, fileList };
      },
    ),
    'the copy is empty': after(async (context, { dstPath }, entry) => {
      if (entry && !entry.code) await storeFile(context, plainPath(dstPath));
    }),
    'the copy of an empty file fails': (context) =>
      leaveOutAfter('batchCopyFile', async (call) => {
        const empty = await listStored(context, call, 'srcPath', ({ length }) => length === 0);
        return ({ srcPath }) => (empty.has(srcPath) ? { code: 'EMPTY', message: 'no' } : undefined);
      }),
  },
  'ST-COPY-SRC-PATH': {
    'an item without srcPath fails, but the call does not': failWithout('srcPath'),
  },
  'ST-COPY-DST-PATH': {
    'an item without dstPath fails, but the call does not': failWithout('dstPath'),
    'an item without it is a copy onto the source': request('batchCopyFile', (call) => {
      const { json } = call;
      if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
      call.json = {
        fileList: json.fileList.map((item: Json) => ({
          dstPath: `${item.srcPath}-copy`,
          ...item,
        })),
      };
    }),
  },
  'ST-COPY-OVERWRITE-DEFAULT': {
    'an existing destination is kept if overwrite is omitted': replaceFlag(
      'overwrite',
      undefined,
      false,
    ),
    'it is false for moves': items('batchCopyFile', (item) => {
      if (item.removeOriginal) item.overwrite ??= false;
    }),
  },
  'ST-COPY-OVERWRITE-TRUE': {
    'an existing destination is kept even if overwrite is true': replaceFlag(
      'overwrite',
      true,
      false,
    ),
    'it is ignored in the second item': items(
      'batchCopyFile',
      (item) => {
        if (item.overwrite === true) item.overwrite = false;
      },
      1,
    ),
  },
  'ST-COPY-OVERWRITE-FALSE': {
    'overwrite false is ignored': replaceFlag('overwrite', false, true),
    'if overwrite is false, the item fails, but the destination is overwritten': ({ storage }) =>
      afterCopies(async ({ srcPath, dstPath }, entry) => {
        if (entry?.code === 'OBJECT_ALREADY_EXIST')
          await storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
      }),
    'overwrite false counts only in the first two items': items(
      'batchCopyFile',
      (item) => {
        if (item.overwrite === false) item.overwrite = true;
      },
      2,
    ),
    'it is ignored with moves': items('batchCopyFile', (item) => {
      if (item.removeOriginal) delete item.overwrite;
    }),
    'it is ignored in the second item': items(
      'batchCopyFile',
      (item) => {
        delete item.overwrite;
      },
      1,
    ),
    'a new destination is not written': (context) =>
      leaveOutAfter('batchCopyFile', async (call) => {
        const stored = await listStored(context, call, 'dstPath');
        return ({ dstPath, overwrite }) =>
          overwrite === false && dstPath !== undefined && !stored.has(dstPath)
            ? { code: 'NO', message: 'no' }
            : undefined;
      }),
    'an existing destination is silently skipped': copies(
      ({ code }) => code === 'OBJECT_ALREADY_EXIST',
      { code: undefined, message: undefined },
    ),
  },
  'ST-COPY-KEEPS-SOURCE': {
    'a copy removes its source': [
      replaceFlag('removeOriginal', undefined, true),
      'ST-COPY-CALL',
      'ST-COPY-SELF',
    ],
    'the source is removed even if removeOriginal is false': replaceFlag(
      'removeOriginal',
      false,
      true,
    ),
    'removeOriginal of the first item applies to all': items(
      'batchCopyFile',
      (item, first) => {
        item.removeOriginal = first.removeOriginal ?? false;
      },
      1,
    ),
  },
  'ST-COPY-MOVE': {
    'a move keeps its source': replaceFlag('removeOriginal', true, false),
    'a move onto an existing file keeps its source': (context) =>
      request('batchCopyFile', async (call) => {
        const existing = await listStored(context, call, 'dstPath');
        changeItems(call, (item) => {
          if (existing.has(item.dstPath) && item.removeOriginal) item.removeOriginal = false;
        });
      }),
    'removeOriginal counts only in the first two items': items(
      'batchCopyFile',
      (item) => {
        if (item.removeOriginal) item.removeOriginal = false;
      },
      2,
    ),
    'only the first item of a call is moved': items(
      'batchCopyFile',
      (item) => {
        delete item.removeOriginal;
      },
      1,
    ),
    'the destination is removed too': after(async (context, { removeOriginal, dstPath }, entry) => {
      if (removeOriginal && entry && !entry.code) await deleteFile(context, plainPath(dstPath));
    }),
  },
  'ST-COPY-MOVE-FAILED': {
    'a failed move removes its source': [
      (context) =>
        afterCopies(async ({ srcPath, removeOriginal }, entry) => {
          if (entry?.code !== undefined && removeOriginal) await deleteFile(context, srcPath);
        }),
      'ST-COPY-SELF',
    ],
    'the source is removed if the path of the destination is invalid': sourceIsGone(
      ({ dstPath }, { code }) => code === 'INVALID_PARAM' && /[^\w/.,!*-]/.test(dstPath),
    ),
    'the source is removed if the destination exists': sourceIsGone(
      (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
    ),
    'a move onto itself loses the file': after(
      async (context, { removeOriginal, srcPath, dstPath }) => {
        if (removeOriginal && srcPath === dstPath) await deleteFile(context, plainPath(srcPath));
      },
    ),
  },
  'ST-COPY-SELF': {
    'a file that is copied onto itself is deleted': [
      (context) =>
        afterCopies(async ({ srcPath, dstPath }) => {
          if (srcPath !== undefined && srcPath === dstPath) await deleteFile(context, srcPath);
        }),
      'ST-COPY-MOVE-FAILED',
    ],
  },
};
