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
  'ST-COPY-CALL: nothing is copied': leaveOut(COPY, (item) =>
    'srcPath' in item && 'dstPath' in item ? {} : undefined,
  ),
  'ST-COPY-CALL: the fourth item copies the first': items(COPY, (item, index, first) => {
    if (index >= 3) item.srcPath = first.srcPath;
  }),
  'ST-COPY-OVERWRITE/1: overwrite is false for moves by default': items(COPY, (item) => {
    if (item.removeOriginal) item.overwrite ??= false;
  }),
  'ST-COPY-OVERWRITE/2: overwrite false is ignored': items(COPY, (item) => {
    item.overwrite = true;
  }),
  'ST-COPY-OVERWRITE/2: a failed item still overwrites': ({ storage }) =>
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
  'ST-COPY-MOVE/2: the third item is not moved': items(COPY, (item, index) => {
    if (index >= 2) item.removeOriginal = false;
  }),
  'ST-COPY-MOVE-FAILED: a move onto an existing file': ({ remove }) =>
    afterCopies(({ removeOriginal, srcPath }, entry) =>
      removeOriginal && entry?.code === 'OBJECT_ALREADY_EXIST' ? remove(srcPath) : undefined,
    ),
  'ST-COPY-MOVE-FAILED: a move to an invalid path': ({ remove }) =>
    afterCopies(({ removeOriginal, srcPath }, entry) =>
      removeOriginal && entry?.code === 'INVALID_PARAM' ? remove(srcPath) : undefined,
    ),
  'ST-COPY-SELF: a copy onto itself empties the file': emptied(
    ({ srcPath, dstPath, removeOriginal }) => srcPath === dstPath && !removeOriginal,
  ),
  'ST-COPY-SELF: the middle of a chain is emptied': emptied((item, all) =>
    all.some((other) => other !== item && other.srcPath === item.dstPath),
  ),
  'ST-COPY-MISSING: copying a missing file succeeds': list(COPY, (all) =>
    all.map((entry) => (entry.code === MISSING ? {} : entry)),
  ),
  'ST-COPY-MISSING: the copy fails, but is made': ({ store, read }) =>
    afterCopies(async ({ dstPath }, entry) => {
      if (entry?.code === MISSING && !(await read(dstPath))) await store(dstPath);
    }),
  'ST-COPY-ALONE: a missing source rejects the call': refuseAfter(
    COPY,
    ([first, ...rest]) => first?.code === MISSING && rest.some(isDone),
  ),
  'ST-COPY-ALONE: an item that fails ends the call': () => {
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
  'ST-COPY-PATH/2: the last characters are rejected': fail(({ dstPath }) =>
    /[\u9f00-\u9fff]/.test(dstPath),
  ),
  'ST-COPY-PATH/3: a ~ in a copy path is accepted': items(COPY, (item) => {
    item.dstPath = item.dstPath?.replaceAll('~', '-');
  }),
  'ST-COPY-PATH/3: an emoji rejects the call': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(({ dstPath = '' }) =>
        /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
      ),
  ),
  'ST-COPY-PATH/4: only sources have a leading /': fail(
    ({ srcPath, dstPath }) => !srcPath.startsWith('/') || dstPath.startsWith('/'),
  ),
};
