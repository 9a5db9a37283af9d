import { MutatedAnswer } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { changeEntries, itemsOf, leaveOutItems, putEntries } from './support/answers.ts';
import { toStorageRefusal } from './support/refusals.ts';
import { readFile } from './support/uploads.ts';

export const storageDelete: readonly Mutant[] = [
  {
    rule: 'ST-DELETE-CALL',
    breaks: 'the third of three files is not deleted, and answered with SUCCESS',
    companions: [],
    create: (context) => ({
      async request(request) {
        const items = request.operation === 'batchDelete' ? itemsOf(request) : [];
        const files = await Promise.all(items.map((id) => readFile(context, id)));
        if (files.length !== 3 || files.includes(undefined)) return;
        leaveOutItems(request, (fileID, index) =>
          index === 2 ? { fileID, code: 'SUCCESS' } : undefined,
        );
      },
      answer: putEntries,
    }),
  },
  {
    rule: 'ST-DELETE-CALL',
    breaks: 'a link works on, from a cache, when its file is deleted',
    companions: [],
    create: (context) => {
      const links = new Map<string, string[]>();
      const cache = new Map<string, Buffer>();
      return {
        async request(request) {
          const { operation, target, isDownload } = request;
          for (const id of operation === 'batchDelete' ? itemsOf(request) : []) {
            const bytes = await readFile(context, id);
            for (const link of links.get(id) ?? []) if (bytes) cache.set(link, bytes);
          }
          const cached = isDownload ? cache.get(target) : undefined;
          return cached && new MutatedAnswer(200, {}, cached);
        },
        answer(answer, { operation }) {
          if (operation !== 'batchGetTempUrls') return;
          changeEntries(answer, (entries) => {
            for (const { fileID, code, tempFileURL } of entries) {
              if (code !== 'SUCCESS') continue;
              const { pathname, search } = new URL(tempFileURL);
              links.set(fileID, [...(links.get(fileID) ?? []), pathname + search]);
            }
          });
        },
      };
    },
  },
  {
    rule: 'ST-DELETE-ONLY',
    breaks: 'files whose names begin with that of the deleted one are deleted too',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const fileList = itemsOf(request).map((id) => `${id}.txt`);
        if (fileList.length > 0) await context.storage('batchDelete', { fileList });
      },
    }),
  },
  {
    rule: 'ST-DELETE-ONLY',
    breaks: 'a folder can be deleted like a file, with all that is in it',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const fileList = itemsOf(request).map((id) => `${id}/inner.txt`);
        if (fileList.length > 0) await context.storage('batchDelete', { fileList });
      },
    }),
  },
  {
    rule: 'ST-DELETE-LIST',
    breaks: 'a missing file has no entry',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeEntries(answer, (entries) => entries.filter(({ code }) => code === 'SUCCESS'));
      },
    }),
  },
  {
    rule: 'ST-DELETE-FILE-ID',
    breaks: 'the fileID of an entry is the name of the file alone',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) entry.fileID = entry.fileID.split('/').at(-1);
        });
      },
    }),
  },
  {
    rule: 'ST-DELETE-CODE',
    breaks: 'the code of a file that was deleted with others is DELETED',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeEntries(answer, (entries) => {
          if (entries.length === 1) return;
          for (const entry of entries) if (entry.code === 'SUCCESS') entry.code = 'DELETED';
        });
      },
    }),
  },
  {
    rule: 'ST-DELETE-MISSING',
    breaks: 'a file that does not exist is deleted with SUCCESS',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) entry.code = 'SUCCESS';
        });
      },
    }),
  },
  {
    rule: 'ST-DELETE-MISSING',
    breaks: 'a file can be deleted a second time',
    companions: [],
    create: () => {
      const deleted = new Set<string>();
      return {
        answer(answer, request) {
          if (request.operation !== 'batchDelete') return;
          changeEntries(answer, (entries) => {
            for (const entry of entries) {
              if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
              if (entry.code === 'SUCCESS') deleted.add(entry.fileID);
            }
          });
        },
      };
    },
  },
  {
    rule: 'ST-DELETE-ALONE',
    breaks: 'a missing file in the first place refuses the call',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const [first, ...rest] = await Promise.all(
          itemsOf(request).map((id) => readFile(context, id)),
        );
        const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
        return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
      },
    }),
  },
  {
    rule: 'ST-DELETE-ALONE',
    breaks: 'files behind a missing one are not deleted',
    companions: [],
    create: (context) => ({
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const files = await Promise.all(itemsOf(request).map((id) => readFile(context, id)));
        const first = files.indexOf(undefined);
        if (first < 0) return;
        leaveOutItems(request, (fileID, index) =>
          index > first ? { fileID, code: 'ABORTED' } : undefined,
        );
      },
      answer: putEntries,
    }),
  },
];
