import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  copies,
  itemsOf,
  leaveOut,
  list,
  request,
  successBody,
  toStorageRefusal,
} from './support/storage.ts';
import { listStored, storeFile } from './support/uploads.ts';

export const storageCopyResponses: readonly Mutant[] = [
  ...mutantsOf('ST-COPY-LIST', {
    'a failed item has no entry': list('batchCopyFile', (entries) =>
      entries.filter(({ code }) => code === undefined),
    ),
    'the fileList for a single copy is the entry itself': successBody(({ data }) => {
      if (data.fileList.length === 1) data.fileList = data.fileList[0];
    }, 'batchCopyFile'),
  }),
  ...mutantsOf('ST-COPY-FILE-ID', {
    'the fileID of an entry does not belong to any file': copies(
      ({ fileID }) => fileID,
      (entry) => {
        entry.fileID += '.copied';
      },
    ),
    'the fileID of a failed entry is 0': copies(({ fileID }) => fileID === undefined, {
      fileID: 0,
    }),
  }),
  mutant(
    'ST-COPY-FILE-ID-PRESENT',
    'the entry for a move has no fileID',
    copies((_, { removeOriginal }) => removeOriginal, { fileID: undefined }),
  ),
  ...mutantsOf('ST-COPY-FAILED', {
    'the entry for a missing source has no message': copies(
      ({ code }) => code === 'STORAGE_FILE_NONEXIST',
      { message: undefined },
    ),
    'the code for an existing destination is a number': copies(
      ({ code }) => code === 'OBJECT_ALREADY_EXIST',
      { code: 409 },
    ),
  }),
  ...mutantsOf('ST-COPY-SUCCEEDED', {
    'the entry for a successful copy has the code SUCCESS': copies(
      ({ code }) => code === undefined,
      { code: 'SUCCESS' },
    ),
    'the entry for a successful copy has an empty message': copies(
      ({ message }) => message === undefined,
      { message: '' },
    ),
  }),
  ...mutantsOf('ST-COPY-MISSING', {
    'copying a missing file succeeds': list('batchCopyFile', (entries) =>
      entries.map((entry) => (entry.code === 'STORAGE_FILE_NONEXIST' ? {} : entry)),
    ),
    'copying a missing file fails, but creates an empty destination': (context) =>
      request('batchCopyFile', async (call) => {
        const sources = await listStored(context, call, 'srcPath');
        const destinations = await listStored(context, call, 'dstPath');
        for (const { srcPath, dstPath, overwrite } of itemsOf(call)) {
          const isWanted = srcPath && dstPath && overwrite === undefined;
          if (isWanted && !sources.has(srcPath) && !destinations.has(dstPath))
            await storeFile(context, dstPath);
        }
      }),
  }),
  ...mutantsOf('ST-COPY-ALONE', {
    'a missing source in the first item causes the call to be rejected': (context) =>
      request('batchCopyFile', async (call) => {
        const sources = await listStored(context, call, 'srcPath');
        const isMissing = sources.size > 0 && !sources.has(itemsOf(call)[0].srcPath);
        return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
      }),
    'items after one whose destination exists are not copied': () => {
      let isOver = false;
      return leaveOut('batchCopyFile', ({ overwrite }, index) => {
        const isAfter = index > 0 && isOver;
        isOver = isAfter || overwrite === false;
        return isAfter ? { code: 'ABORTED', message: 'aborted' } : undefined;
      });
    },
  }),
];
