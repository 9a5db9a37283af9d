import type { Json } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { itemsOf, leaveOutItems, putEntries, seesItems } from '../support/answers.ts';
import { deleteFile, fileIdOf, readFile, storeFile } from '../support/uploads.ts';

import { each, fault, isCopy, ofCopies, plainPath, refuseAll } from './fault.ts';

/** What stores answer to copies. */
export const copyAnswers: readonly Mutant[] = [
  fault(
    'ST-COPY-LIST',
    'copies that went well get no entry',
    ofCopies((entries) => entries.filter(({ code }) => code)),
    ['ST-COPY-FILE-ID-PRESENT', 'ST-COPY-SUCCEEDED', 'ST-COPY-ALONE'],
  ),
  fault(
    'ST-COPY-LIST',
    'an item that is given twice gets one entry',
    ofCopies((entries, items) =>
      entries.filter(
        (_, index) =>
          items.findIndex((item) => JSON.stringify(item) === JSON.stringify(items[index])) ===
          index,
      ),
    ),
  ),
  fault(
    'ST-COPY-LIST',
    'one failure stands for all items',
    ofCopies((entries) => (entries.every(({ code }) => code) ? entries.slice(0, 1) : entries)),
  ),
  fault(
    'ST-COPY-FILE-ID',
    'it is a number',
    ofCopies(
      each((entry) => {
        if (!entry.code) entry.fileID = 7;
      }),
    ),
  ),
  fault(
    'ST-COPY-FILE-ID',
    'it is null with failures',
    ofCopies(
      each((entry) => {
        if (entry.code) entry.fileID = null;
      }),
    ),
  ),
  fault(
    'ST-COPY-FILE-ID',
    'it names a file that is not there',
    ofCopies(
      each((entry) => {
        if (!entry.code) entry.fileID += '-copy';
      }),
    ),
  ),
  fault(
    'ST-COPY-FILE-ID-PRESENT',
    'moves have none',
    ofCopies((entries, items) =>
      entries.forEach((entry, index) => {
        if (items[index]?.removeOriginal) delete entry.fileID;
      }),
    ),
  ),
  fault(
    'ST-COPY-FAILED',
    'a failure has no message',
    ofCopies(
      each((entry) => {
        delete entry.message;
      }),
    ),
  ),
  fault(
    'ST-COPY-FAILED',
    'the code of a failure is a number',
    ofCopies(
      each((entry) => {
        if (entry.code) entry.code = 404;
      }),
    ),
  ),
  fault(
    'ST-COPY-FAILED',
    'a bad path has no message',
    ofCopies((entries, items) =>
      entries.forEach((entry, index) => {
        if (entry.code && /[^\w/.-]/.test(items[index]?.dstPath)) delete entry.message;
      }),
    ),
    ['ST-COPY-PATH-REFUSED'],
  ),
  fault(
    'ST-COPY-SUCCEEDED',
    'it has code SUCCESS',
    ofCopies(
      each((entry) => {
        entry.code ??= 'SUCCESS';
      }),
    ),
  ),
  fault(
    'ST-COPY-SUCCEEDED',
    'it has an empty message',
    ofCopies(
      each((entry) => {
        if (!entry.code) entry.message = '';
      }),
    ),
  ),
  fault(
    'ST-COPY-SUCCEEDED',
    'it has code null',
    ofCopies(
      each((entry) => {
        entry.code ??= null;
      }),
    ),
  ),
  fault(
    'ST-COPY-SUCCEEDED',
    'a move has code SUCCESS',
    ofCopies((entries, items) =>
      entries.forEach((entry, index) => {
        if (items[index]?.removeOriginal) entry.code ??= 'SUCCESS';
      }),
    ),
  ),
  fault(
    'ST-COPY-MISSING',
    'it makes an empty file',
    (context) => ({
      async request(request) {
        if (!isCopy(request)) return;
        for (const { srcPath } of itemsOf(request)) {
          if (
            typeof srcPath === 'string' &&
            /^\/[\w/-]+(\.\w+)?$/.test(srcPath) &&
            (await readFile(context, await fileIdOf(context, plainPath(srcPath)))) === undefined
          )
            await storeFile(context, plainPath(srcPath));
        }
      },
    }),
    ['ST-COPY-MOVE-FAILED', 'ST-COPY-ALONE'],
  ),
  fault(
    'ST-COPY-MISSING',
    'the move of a missing file is no failure',
    ofCopies((entries, items) =>
      entries.forEach((entry, index) => {
        if (entry.code === 'STORAGE_FILE_NONEXIST' && items[index]?.removeOriginal) {
          delete entry.code;
          delete entry.message;
        }
      }),
    ),
  ),
  fault(
    'ST-COPY-ALONE',
    'one missing file fails the call',
    refuseAll('batchCopyFile', (entries) => entries.length > 1 && entries.some(({ code }) => code)),
    ['ST-COPY-LIST', 'ST-COPY-FAILED', 'ST-COPY-PATH-REFUSED'],
  ),
  fault('ST-COPY-ALONE', 'what follows a missing file is not copied', (context) => ({
    async request(request) {
      if (!isCopy(request)) return;
      let isOver = false;
      const after = new Set<Json>();
      for (const item of itemsOf(request)) {
        if (isOver) after.add(item.dstPath);
        else
          isOver =
            typeof item.srcPath === 'string' &&
            (await readFile(context, await fileIdOf(context, plainPath(item.srcPath)))) ===
              undefined;
      }
      leaveOutItems(request, ({ dstPath }) =>
        after.has(dstPath) ? { code: 'ABORTED', message: 'no' } : undefined,
      );
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  })),
  fault('ST-COPY-ALONE', 'what comes before a bad item is taken back', (context) => ({
    ...seesItems,
    async answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList;
      if (!isCopy(request) || !entries?.some?.(({ code }: Json) => code)) return;
      for (const [index, { dstPath }] of itemsOf(request).entries())
        if (!entries[index]?.code) await deleteFile(context, plainPath(dstPath));
    },
  })),
];
