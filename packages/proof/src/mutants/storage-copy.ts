import type { Json } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import {
  afterCopies,
  COPY,
  copies,
  copyItems,
  instead,
  leaveOut,
  leaveOutAfter,
  request,
} from './support/storage.ts';
import { listStored } from './support/uploads.ts';

const isIncomplete = (item: object) => 'srcPath' in item !== 'dstPath' in item;

/** Makes only the item without a field fail, not the call. */
const failWithout = (name: string) =>
  leaveOut(COPY, (item) =>
    isIncomplete(item) && !(name in item)
      ? { code: 'INVALID_PARAM', message: `${name} is missing.` }
      : undefined,
  );

/** Gives the copies of empty files this entry instead of making them. */
const emptyFilesGet =
  (entry: object): Mutant['create'] =>
  (context) =>
    leaveOutAfter(COPY, async (call) => {
      const empty = await listStored(context, call, 'srcPath', ({ length }) => length === 0);
      return ({ srcPath }) => (empty.has(srcPath) ? entry : undefined);
    });

/** Removes the source of a move that failed. */
const sourceIsGone =
  (isWanted: (item: Json, entry: Json) => unknown): Mutant['create'] =>
  ({ remove }) =>
    afterCopies((item, entry) =>
      item.removeOriginal && entry?.code && isWanted(item, entry)
        ? remove(item.srcPath)
        : undefined,
    );

export const storageCopy: Rows = {
  'ST-COPY-CALL': {
    'an empty file is not copied, and its entry reports no failure': emptyFilesGet({}),
    'from the fourth item on, the source of the first item is copied': copyItems((item, first) => {
      item.srcPath = first.srcPath;
    }, 3),
  },
  'ST-COPY-SRC-PATH': {
    'an item without srcPath fails, but the call does not': failWithout('srcPath'),
  },
  'ST-COPY-DST-PATH': {
    'an item without dstPath fails, but the call does not': failWithout('dstPath'),
    'an item without it is a copy onto the source': request(COPY, (call) => {
      const { json } = call;
      if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
      for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
      call.json = json;
    }),
  },
  'ST-COPY-OVERWRITE-DEFAULT': {
    'an existing destination is kept if overwrite is omitted': copyItems({
      overwrite: instead(undefined, false),
    }),
    'it is false for moves': copyItems((item) => {
      if (item.removeOriginal) item.overwrite ??= false;
    }),
  },
  'ST-COPY-OVERWRITE-TRUE': {
    'an existing destination is kept even if overwrite is true': copyItems({
      overwrite: instead(true, false),
    }),
    'it is ignored in the second item': copyItems({ overwrite: instead(true, false) }, 1),
  },
  'ST-COPY-OVERWRITE-FALSE': {
    'overwrite false is ignored': copyItems({ overwrite: instead(false, true) }),
    'if overwrite is false, the item fails, but the destination is overwritten': ({ storage }) =>
      afterCopies(({ srcPath, dstPath }, entry) =>
        entry?.code === 'OBJECT_ALREADY_EXIST'
          ? storage(COPY, { fileList: [{ srcPath, dstPath }] })
          : undefined,
      ),
    'an existing destination is silently skipped': copies('OBJECT_ALREADY_EXIST', {
      code: undefined,
      message: undefined,
    }),
  },
  'ST-COPY-KEEPS-SOURCE': {
    'a copy removes its source': copyItems({ removeOriginal: instead(undefined, true) }),
    'removeOriginal of the first item applies to all': copyItems((item, first) => {
      item.removeOriginal = first.removeOriginal ?? false;
    }, 1),
  },
  'ST-COPY-MOVE': {
    'a move keeps its source': copyItems({ removeOriginal: instead(true, false) }),
    'removeOriginal counts only in the first two items': copyItems(
      { removeOriginal: undefined },
      2,
    ),
  },
  'ST-COPY-MOVE-FAILED': {
    'a failed move removes its source': sourceIsGone(() => true),
    'the source is removed if the destination exists': sourceIsGone(
      (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
    ),
  },
};
