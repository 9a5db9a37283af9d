import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  afterCopies,
  changeItems,
  items,
  leaveOut,
  leaveOutAfter,
  request,
} from './support/storage.ts';
import { deleteFile, listStored } from './support/uploads.ts';

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

export const storageCopy: readonly Mutant[] = [
  mutant(
    'ST-COPY-CALL',
    'an empty file is not copied, and its entry reports no failure',
    (context) =>
      leaveOutAfter('batchCopyFile', async (call) => {
        const empty = await listStored(context, call, 'srcPath', (bytes) => bytes.length === 0);
        return ({ srcPath }) => (empty.has(srcPath) ? {} : undefined);
      }),
  ),
  mutant(
    'ST-COPY-SRC-PATH',
    'an item without srcPath fails, but the call does not',
    failWithout('srcPath'),
  ),
  mutant(
    'ST-COPY-DST-PATH',
    'an item without dstPath fails, but the call does not',
    failWithout('dstPath'),
  ),
  mutant(
    'ST-COPY-OVERWRITE-DEFAULT',
    'an existing destination is kept if overwrite is omitted',
    replaceFlag('overwrite', undefined, false),
  ),
  mutant(
    'ST-COPY-OVERWRITE-TRUE',
    'an existing destination is kept even if overwrite is true',
    replaceFlag('overwrite', true, false),
  ),
  ...mutantsOf('ST-COPY-OVERWRITE-FALSE', {
    'overwrite false is ignored': replaceFlag('overwrite', false, true),
    'if overwrite is false, the item fails, but the destination is overwritten': ({ storage }) =>
      afterCopies(async ({ srcPath, dstPath }, entry) => {
        if (entry?.code === 'OBJECT_ALREADY_EXIST')
          await storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
      }),
  }),
  mutant(
    'ST-COPY-KEEPS-SOURCE',
    'a copy removes its source',
    replaceFlag('removeOriginal', undefined, true),
    ['ST-COPY-CALL', 'ST-COPY-SELF'],
  ),
  mutant(
    'ST-COPY-KEEPS-SOURCE',
    'the source is removed even if removeOriginal is false',
    replaceFlag('removeOriginal', false, true),
  ),
  ...mutantsOf('ST-COPY-MOVE', {
    'a move keeps its source': replaceFlag('removeOriginal', true, false),
    'a move onto an existing file keeps its source': (context) =>
      request('batchCopyFile', async (call) => {
        const existing = await listStored(context, call, 'dstPath');
        changeItems(call, (item) => {
          if (existing.has(item.dstPath) && item.removeOriginal) item.removeOriginal = false;
        });
      }),
  }),
  mutant(
    'ST-COPY-MOVE-FAILED',
    'a failed move removes its source',
    (context) =>
      afterCopies(async ({ srcPath, removeOriginal }, entry) => {
        if (entry?.code !== undefined && removeOriginal) await deleteFile(context, srcPath);
      }),
    ['ST-COPY-SELF'],
  ),
  mutant(
    'ST-COPY-SELF',
    'a file that is copied onto itself is deleted',
    (context) =>
      afterCopies(async ({ srcPath, dstPath }) => {
        if (srcPath !== undefined && srcPath === dstPath) await deleteFile(context, srcPath);
      }),
    ['ST-COPY-MOVE-FAILED'],
  ),
];
