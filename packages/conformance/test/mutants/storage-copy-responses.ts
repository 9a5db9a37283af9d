import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { afterCopies, COPY, copies, leaveOut, list, refuseAfter } from './support/storage.ts';

const isFailed = ({ code }: Json) => code;
const isDone = ({ code }: Json) => code === undefined;
const isMove = (_: Json, { removeOriginal }: Json) => removeOriginal;
const MISSING = 'STORAGE_FILE_NONEXIST';

export const storageCopyResponses: Rows = {
  'ST-LISTS/1: a failed item has no entry': list(COPY, (all) => all.filter(isDone)),
  'ST-LISTS/1: a duplicate item gets no entry of its own': list(COPY, (all, items) => {
    const texts = items.map((item) => JSON.stringify(item));
    return all.filter((_, index) => texts.indexOf(texts[index] ?? '') === index);
  }),
  'ST-RESPONSE: the fileID of an entry does not belong to any file': copies(isDone, {
    fileID: (id) => `${id}.copied`,
  }),
  'ST-RESPONSE: it is null with failures': copies(isFailed, { fileID: null }),
  'ST-PRESENT/3: the entry for a move has no fileID': copies(isMove, {
    fileID: undefined,
  }),
  'ST-RESPONSE: the entry for a missing source has no message': copies(MISSING, {
    message: undefined,
  }),
  'ST-RESPONSE: the code for an existing destination is a number': copies('OBJECT_ALREADY_EXIST', {
    code: 409,
  }),
  'ST-RESPONSE: the entry for a successful copy has the code SUCCESS': copies(isDone, {
    code: 'SUCCESS',
  }),
  'ST-RESPONSE: it has code null': copies(isDone, { code: null }),
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
};
