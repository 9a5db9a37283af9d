import type { Hooks, Json } from '../proxy/messages.ts';
import {
  afterCopies,
  COPY,
  GRANT,
  items,
  itemsOf,
  leaveOut,
  list,
  refuse,
  refuseAfter,
} from './hooks/storage.ts';
import type { Mutant, Rows } from './mutant.ts';

const isDone = ({ code }: Json) => code === undefined;
const MISSING = 'STORAGE_FILE_NONEXIST';

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

/** Makes items fail that should not. */
const fail = (isBad: (item: Json) => unknown): Hooks =>
  leaveOut(COPY, (item) =>
    item.srcPath && item.dstPath && isBad(item) ? { code: 'NO', message: 'no' } : undefined,
  );

export const storageCopy: Rows = {
  'ST-COPY-CALL: the entry reports no failure, but nothing is copied': leaveOut(COPY, (item) =>
    'srcPath' in item && 'dstPath' in item ? {} : undefined,
  ),
  'ST-COPY-CALL: from the fourth item on, the source of the first item is copied': items(
    COPY,
    (item, index, first) => {
      if (index >= 3) item.srcPath = first.srcPath;
    },
  ),
  'ST-COPY-OVERWRITE/1: it is false for moves': items(COPY, (item) => {
    if (item.removeOriginal) item.overwrite ??= false;
  }),
  'ST-COPY-OVERWRITE/2: overwrite false is ignored': items(COPY, (item) => {
    item.overwrite = true;
  }),
  'ST-COPY-OVERWRITE/2: the item fails, but the destination is overwritten': ({ storage }) =>
    afterCopies(({ srcPath, dstPath }, entry) =>
      entry?.code === 'OBJECT_ALREADY_EXIST'
        ? storage(COPY, { fileList: [{ srcPath, dstPath }] })
        : undefined,
    ),
  'ST-COPY-MOVE/1: a copy removes its source': items(COPY, (item) => {
    item.removeOriginal ??= true;
  }),
  'ST-COPY-MOVE/2: a move keeps its source': items(COPY, (item) => {
    item.removeOriginal = false;
  }),
  'ST-COPY-MOVE/2: removeOriginal counts only in the first two items': items(
    COPY,
    (item, index) => {
      if (index >= 2) item.removeOriginal = false;
    },
  ),
  'ST-COPY-MOVE-FAILED: the source is removed if the destination exists': ({ remove }) =>
    afterCopies(({ removeOriginal, srcPath }, entry) =>
      removeOriginal && entry?.code === 'OBJECT_ALREADY_EXIST' ? remove(srcPath) : undefined,
    ),
  'ST-COPY-MOVE-FAILED: the source is removed if the destination is invalid': ({ remove }) =>
    afterCopies(({ removeOriginal, srcPath }, entry) =>
      removeOriginal && entry?.code === 'INVALID_PARAM' ? remove(srcPath) : undefined,
    ),
  'ST-COPY-SELF: a copy onto itself empties the file': emptied(
    ({ srcPath, dstPath, removeOriginal }) => srcPath === dstPath && !removeOriginal,
  ),
  'ST-COPY-SELF: the middle file of a chain of copies is emptied': emptied((item, all) =>
    all.some((other) => other !== item && other.srcPath === item.dstPath),
  ),
  'ST-COPY-MISSING: copying a missing file succeeds': list(COPY, (all) =>
    all.map((entry) => (entry.code === MISSING ? {} : entry)),
  ),
  'ST-COPY-MISSING: copying a missing file fails, but creates an empty destination': ({
    store,
    read,
  }) =>
    afterCopies(async ({ dstPath }, entry) => {
      if (entry?.code === MISSING && !(await read(dstPath))) await store(dstPath);
    }),
  'ST-COPY-ALONE: a missing source in the first item causes the call to be rejected': refuseAfter(
    COPY,
    ([first, ...rest]) => first?.code === MISSING && rest.some(isDone),
  ),
  'ST-COPY-ALONE: items after one whose destination exists are not copied': () => {
    let isOver = false;
    return leaveOut(COPY, ({ overwrite }, index) => {
      const isAfter = index > 0 && isOver;
      isOver = isAfter || overwrite === false;
      return isAfter ? { code: 'ABORTED', message: 'aborted' } : undefined;
    });
  },
  'ST-COPY-PATH/1: the third level of a path is dropped': {
    request(call) {
      const { operation } = call;
      if (operation !== COPY && operation !== GRANT) return;
      const text = call.body.toString();
      if (text.includes('/level/deeper/'))
        call.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
    },
  },
  'ST-COPY-PATH/2: the last Chinese characters of the range are rejected in a copy path': fail(
    ({ dstPath }) => /[\u9f00-\u9fff]/.test(dstPath),
  ),
  'ST-COPY-PATH/3: a ~ in a copy path is accepted': items(COPY, (item) => {
    item.dstPath = item.dstPath?.replaceAll('~', '-');
  }),
  'ST-COPY-PATH/3: a copy path with an emoji causes the call to be rejected': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(({ dstPath = '' }) =>
        /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
      ),
  ),
  'ST-COPY-PATH/4: a source needs a leading /, and a destination must not have one': fail(
    ({ srcPath, dstPath }) => !srcPath.startsWith('/') || dstPath.startsWith('/'),
  ),
};
