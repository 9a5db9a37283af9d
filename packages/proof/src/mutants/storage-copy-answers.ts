import type { Mutant } from './mutant.ts';
import {
  changeEntries,
  changeJson,
  itemsOf,
  leaveOutItems,
  putEntries,
  seesItems,
} from './support/answers.ts';
import { toStorageRefusal } from './support/refusals.ts';
import { fileIdOf, readFile, storeFile } from './support/uploads.ts';

export const storageCopyAnswers: readonly Mutant[] = [
  {
    rule: 'ST-COPY-LIST',
    breaks: 'an item that failed has no entry',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => entries.filter(({ code }) => code === undefined));
      },
    }),
  },
  {
    rule: 'ST-COPY-LIST',
    breaks: 'the list of one copy is its entry alone',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeJson(answer, ({ body }) => {
          if (body.data?.fileList.length === 1) body.data.fileList = body.data.fileList[0];
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-FILE-ID',
    breaks: 'the fileID of an entry names no file',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) if (entry.fileID) entry.fileID += '.copied';
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-FILE-ID',
    breaks: 'the fileID of a failed entry is 0',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) entry.fileID ??= 0;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-FILE-ID-PRESENT',
    breaks: 'the entry of a move has no fileID',
    companions: [],
    create: () => ({
      ...seesItems,
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const [index, entry] of entries.entries()) {
            if (request.json.fileList[index].removeOriginal) delete entry.fileID;
          }
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-FAILED',
    breaks: 'the entry of a missing source has no message',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries)
            if (entry.code === 'STORAGE_FILE_NONEXIST') delete entry.message;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-FAILED',
    breaks: 'the code of an existing destination is a number',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) if (entry.code === 'OBJECT_ALREADY_EXIST') entry.code = 409;
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-SUCCEEDED',
    breaks: 'the entry of a copy has the code SUCCESS',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) entry.code ??= 'SUCCESS';
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-SUCCEEDED',
    breaks: 'the entry of a copy has an empty message',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) entry.message ??= '';
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-MISSING',
    breaks: 'the copy of a missing file succeeds',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchCopyFile') return;
        changeEntries(answer, (entries) =>
          entries.map((entry) => (entry.code === 'STORAGE_FILE_NONEXIST' ? {} : entry)),
        );
      },
    }),
  },
  {
    rule: 'ST-COPY-MISSING',
    breaks: 'the copy of a missing file fails, and leaves an empty destination',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchCopyFile') return;
        for (const { srcPath, dstPath, overwrite } of itemsOf(request)) {
          if (!srcPath || !dstPath || overwrite !== undefined) continue;
          if (await readFile(context, await fileIdOf(context, srcPath))) continue;
          if (!(await readFile(context, await fileIdOf(context, dstPath))))
            await storeFile(context, dstPath);
        }
      },
    }),
  },
  {
    rule: 'ST-COPY-ALONE',
    breaks: 'a missing source in the first place refuses the call',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchCopyFile') return;
        const [first, ...rest] = await Promise.all(
          itemsOf(request).map(
            async ({ srcPath = 'none' }) =>
              await readFile(context, await fileIdOf(context, srcPath)),
          ),
        );
        const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
        return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
      },
    }),
  },
  {
    rule: 'ST-COPY-ALONE',
    breaks: 'items behind an existing destination are not copied',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        const first = itemsOf(request).findIndex(({ overwrite }) => overwrite === false);
        leaveOutItems(request, (_, index) =>
          first >= 0 && index > first ? { code: 'ABORTED', message: 'aborted' } : undefined,
        );
      },
      answer: putEntries,
    }),
  },
];
