import type { Hooks, Json } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { replace } from './support/gateway.ts';
import {
  afterCopies,
  COPY,
  copies,
  copyItems,
  GRANT,
  instead,
  itemsOf,
  leaveOut,
  list,
  refuse,
  refuseAfter,
} from './support/storage.ts';

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
const fail = (isBad: (item: Json) => unknown, code = 'INVALID_PARAM'): Hooks =>
  leaveOut(COPY, (item) =>
    typeof item.srcPath === 'string' && typeof item.dstPath === 'string' && isBad(item)
      ? { code, message: 'no' }
      : undefined,
  );

/** Makes items with a matching destination fail. */
const failTo = (pattern: RegExp) => fail(({ dstPath }) => pattern.test(dstPath));

/** Copies to another path. */
const redirect = (toPath: (path: string) => string) =>
  copyItems({ dstPath: (path) => path && toPath(path) });

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
  'ST-COPY-OVERWRITE/1: it is false for moves': copyItems((item) => {
    if (item.removeOriginal) item.overwrite ??= false;
  }),
  'ST-COPY-OVERWRITE/1: it is ignored in the second item': copyItems(
    { overwrite: instead(true, false) },
    1,
  ),
  'ST-COPY-OVERWRITE/2: overwrite false is ignored': copyItems({
    overwrite: instead(false, true),
  }),
  'ST-COPY-OVERWRITE/2: the item fails, but the destination is overwritten': ({ storage }) =>
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
  'ST-COPY-MOVE-FAILED: the source is removed if the destination exists': ({ remove }) =>
    afterCopies(({ removeOriginal, srcPath }, entry) =>
      removeOriginal && entry?.code === 'OBJECT_ALREADY_EXIST' ? remove(srcPath) : undefined,
    ),
  'ST-COPY-SELF: a copy onto itself empties the file': emptied(
    ({ srcPath, dstPath, removeOriginal }) => srcPath === dstPath && !removeOriginal,
  ),
  'ST-COPY-SELF: the middle file of a chain of copies is emptied': emptied((item, all) =>
    all.some((other) => other !== item && other.srcPath === item.dstPath),
  ),
  'ST-LISTS/1: a duplicate item gets no entry of its own': list(COPY, (all, items) => {
    const texts = items.map((item) => JSON.stringify(item));
    return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index);
  }),
  'ST-RESPONSE: the fileID of an entry does not belong to any file': copies(isDone, {
    fileID: (id) => `${id}.copied`,
  }),
  'ST-RESPONSE: the entry for a successful copy has the code SUCCESS': copies(isDone, {
    code: 'SUCCESS',
  }),
  'ST-PRESENT/3: the entry for a move has no fileID': copies(
    (_, { removeOriginal }) => removeOriginal,
    { fileID: undefined },
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
  'ST-COPY-PATH/2: the last Chinese characters of the range are rejected in a copy path':
    failTo(/[\u9f00-\u9fff]/),
  'ST-COPY-PATH/3: a ~ in a copy path is accepted': redirect(replace('~', '-')),
  'ST-COPY-PATH/3: a copy path with an emoji causes the call to be rejected': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(({ dstPath = '' }) =>
        /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
      ),
  ),
  'ST-COPY-PATH/4: the source of a copy is looked for in a folder of its own': copyItems({
    srcPath: (path) => path?.replace(/^\/?/, '/copies/'),
  }),
  'ST-COPY-PATH/4: a source needs a leading /, and a destination must not have one': fail(
    ({ srcPath, dstPath }) => !srcPath.startsWith('/') || dstPath.startsWith('/'),
  ),
};
