import type { Json } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import {
  afterCopies,
  COPY,
  copyItems,
  instead,
  itemsOf,
  leaveOut,
  request,
} from './support/storage.ts';

const isIncomplete = (item: object) => 'srcPath' in item !== 'dstPath' in item;

/** Makes only the item without a field fail, not the call. */
const failWithout = (name: string) =>
  leaveOut(COPY, (item) =>
    isIncomplete(item) && !(name in item)
      ? { code: 'INVALID_PARAM', message: `${name} is missing.` }
      : undefined,
  );

/** Removes the source of a move that failed. */
const sourceIsGone =
  (isWanted: (item: Json, entry: Json) => unknown): Mutant['create'] =>
  ({ remove }) =>
    afterCopies((item, entry) =>
      item.removeOriginal && entry?.code && isWanted(item, entry)
        ? remove(item.srcPath)
        : undefined,
    );

/** Empties the destinations of such items after a copy call. */
const emptied =
  (isWanted: (item: Json, all: readonly Json[]) => boolean): Mutant['create'] =>
  ({ read, store }) => ({
    async response(_, call) {
      const all = call.operation === COPY ? itemsOf(call) : [];
      for (const item of all) {
        if (isWanted(item, all) && (await read(item.dstPath))) await store(item.dstPath);
      }
    },
  });

export const storageCopy: Rows = {
  'ST-COPY-CALL: the entry reports no failure, but nothing is copied': leaveOut(COPY, (item) =>
    'srcPath' in item && 'dstPath' in item ? {} : undefined,
  ),
  'ST-COPY-CALL: from the fourth item on, the source of the first item is copied': copyItems(
    (item, first) => {
      item.srcPath = first.srcPath;
    },
    3,
  ),
  'ST-INVALID/5: an item without srcPath fails, but the call does not': failWithout('srcPath'),
  'ST-INVALID/6: an item without dstPath fails, but the call does not': failWithout('dstPath'),
  'ST-INVALID/6: an item without it is a copy onto the source': request(COPY, (call) => {
    const { json } = call;
    if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
    for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
    call.json = json;
  }),
  'ST-COPY-OVERWRITE/1: an existing destination is kept if overwrite is omitted': copyItems({
    overwrite: instead(undefined, false),
  }),
  'ST-COPY-OVERWRITE/1: it is false for moves': copyItems((item) => {
    if (item.removeOriginal) item.overwrite ??= false;
  }),
  'ST-COPY-OVERWRITE/2: an existing destination is kept even if overwrite is true': copyItems({
    overwrite: instead(true, false),
  }),
  'ST-COPY-OVERWRITE/2: it is ignored in the second item': copyItems(
    { overwrite: instead(true, false) },
    1,
  ),
  'ST-COPY-OVERWRITE/3: overwrite false is ignored': copyItems({
    overwrite: instead(false, true),
  }),
  'ST-COPY-OVERWRITE/3: if overwrite is false, the item fails, but the destination is overwritten':
    ({ storage }) =>
      afterCopies(({ srcPath, dstPath }, entry) =>
        entry?.code === 'OBJECT_ALREADY_EXIST'
          ? storage(COPY, { fileList: [{ srcPath, dstPath }] })
          : undefined,
      ),
  'ST-COPY-MOVE/1: a copy removes its source': copyItems({
    removeOriginal: instead(undefined, true),
  }),
  'ST-COPY-MOVE/1: removeOriginal of the first item applies to all': copyItems((item, first) => {
    item.removeOriginal = first.removeOriginal ?? false;
  }, 1),
  'ST-COPY-MOVE/2: a move keeps its source': copyItems({ removeOriginal: instead(true, false) }),
  'ST-COPY-MOVE/2: removeOriginal counts only in the first two items': copyItems(
    { removeOriginal: undefined },
    2,
  ),
  'ST-COPY-MOVE-FAILED: a failed move removes its source': sourceIsGone(() => true),
  'ST-COPY-MOVE-FAILED: the source is removed if the destination exists': sourceIsGone(
    (_, { code }) => code === 'OBJECT_ALREADY_EXIST',
  ),
  'ST-COPY-SELF: a copy onto itself empties the file': emptied(
    ({ srcPath, dstPath, removeOriginal }) => srcPath === dstPath && !removeOriginal,
  ),
  'ST-COPY-SELF: the middle file of a chain of copies is emptied': emptied((item, all) =>
    all.some((other) => other !== item && other.srcPath === item.dstPath),
  ),
};
