import { type Json, MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { changeEntries, itemsOf } from '../support/answers.ts';
import { toStorageAnswer, toStorageRefusal } from '../support/refusals.ts';
import { readForm } from '../support/uploads.ts';
import { each, fault, isBad, isOk, ofEntries, refuseAll, unique } from './fault.ts';

const ofDeletes = (change: (entries: Json[], items: Json[]) => unknown) =>
  ofEntries('batchDelete', change);

/** What object stores do to deletions. */
export const deletions: readonly Mutant[] = [
  fault(
    'ST-DELETE-CALL',
    'only the first file of a list is deleted',
    {
      request(request) {
        if (request.operation === 'batchDelete' && itemsOf(request).length > 1)
          request.json = { fileList: itemsOf(request).slice(0, 1) };
      },
    },
    ['ST-DELETE-LIST', 'ST-DELETE-ALONE'],
  ),
  fault('ST-DELETE-CALL', 'links that were given out before still work', () => {
    const seen = new Map<string, MutatedAnswer>();
    return {
      answer(answer, { isDownload, target }) {
        if (!isDownload) return;
        if (answer.status === 200)
          seen.set(target, new MutatedAnswer(200, answer.headers, answer.body));
        else if (answer.status === 404 && seen.has(target))
          Object.assign(answer, { status: 200, body: seen.get(target)?.body });
      },
    };
  }),
  fault('ST-DELETE-ONLY', 'files with a longer name are deleted too', (context) => {
    const stored = new Map<string, string>();
    return {
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const ids = itemsOf(request);
        const more = [...stored.values()].filter((id) =>
          ids.some((one) => id !== one && id.startsWith(one)),
        );
        if (more.length > 0) await context.storage('batchDelete', { fileList: more });
      },
      answer(answer, { operation }) {
        const id = answer.json?.body?.data?.fileID;
        if (operation === 'getUploadMetaData' && id) stored.set(id, id);
      },
    };
  }),
  fault('ST-DELETE-ONLY', 'files of the same folder are deleted too', (context) => {
    const stored = new Map<string, string>();
    return {
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const folders = itemsOf(request)
          .map((id) => id.replace(/[^/]+$/, ''))
          .filter((folder) => folder.split('/').length > 4);
        const more = [...stored.values()].filter(
          (id) => folders.some((one) => id.startsWith(one)) && !itemsOf(request).includes(id),
        );
        if (more.length > 0) await context.storage('batchDelete', { fileList: more.slice(0, 50) });
      },
      answer(answer, { operation }) {
        const id = answer.json?.body?.data?.fileID;
        if (operation === 'getUploadMetaData' && id) stored.set(id, id);
      },
    };
  }),
  fault('ST-DELETE-ONLY', 'files whose names differ in case only are deleted too', (context) => {
    const stored = new Set<string>();
    return {
      async request(request) {
        if (request.operation !== 'batchDelete') return;
        const ids = itemsOf(request);
        const more = [...stored].filter((id) =>
          ids.some((one) => id !== one && id.toLowerCase() === one.toLowerCase()),
        );
        if (more.length > 0) await context.storage('batchDelete', { fileList: more });
      },
      answer(answer, { operation }) {
        const id = answer.json?.body?.data?.fileID;
        if (operation === 'getUploadMetaData' && id) stored.add(id);
      },
    };
  }),
  fault('ST-DELETE-LIST', 'a file that is named twice gets one entry', ofDeletes(unique)),
  fault(
    'ST-DELETE-LIST',
    'missing files get no entry',
    ofDeletes((entries) => entries.filter(isOk)),
    ['ST-DELETE-MISSING'],
  ),
  fault(
    'ST-DELETE-LIST',
    'it is empty where all went well',
    ofDeletes((entries) => (entries.every(isOk) ? [] : entries)),
    ['ST-DELETE-CODE', 'ST-DELETE-FILE-ID', 'ST-DELETE-CALL'],
  ),
  fault(
    'ST-DELETE-FILE-ID',
    'it is the path',
    ofDeletes(
      each((entry) => {
        entry.fileID = entry.fileID.replace(/^cloud:\/\/[^/]*\//, '');
      }),
    ),
  ),
  fault(
    'ST-DELETE-FILE-ID',
    'that of a missing file is null',
    ofDeletes(
      each((entry) => {
        if (!isOk(entry)) entry.fileID = null;
      }),
    ),
  ),
  fault(
    'ST-DELETE-CODE',
    'it is missing for a deleted file',
    ofDeletes(
      each((entry) => {
        if (isOk(entry)) delete entry.code;
      }),
    ),
  ),
  fault(
    'ST-DELETE-CODE',
    'it is OK for a deleted file',
    ofDeletes(
      each((entry) => {
        if (isOk(entry)) entry.code = 'OK';
      }),
    ),
  ),
  fault(
    'ST-DELETE-CODE',
    'it is a number for a missing file',
    ofDeletes(
      each((entry) => {
        if (!isOk(entry)) entry.code = 404;
      }),
    ),
  ),
  fault(
    'ST-DELETE-MISSING',
    'a missing file is SUCCESS, as with object stores',
    ofDeletes(
      each((entry) => {
        if (entry.code === 'STORAGE_FILE_NONEXIST') entry.code = 'SUCCESS';
      }),
    ),
  ),
  fault('ST-DELETE-MISSING', 'the second deletion is SUCCESS', () => {
    const deleted = new Set<string>();
    return ofDeletes(
      each((entry) => {
        if (isOk(entry)) deleted.add(entry.fileID);
        else if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
      }),
    );
  }),
  fault('ST-DELETE-MISSING', 'a file that was granted and never uploaded is SUCCESS', () => {
    const granted = new Set<string>();
    return {
      request: (request) => {
        if (request.isUpload)
          for (const id of granted)
            if (id.endsWith(`/${readForm(request).get('key')}`)) granted.delete(id);
      },
      answer(answer, { operation }) {
        const id = answer.json?.body?.data?.fileID;
        if (operation === 'getUploadMetaData' && id) granted.add(id);
        if (operation === 'batchDelete')
          changeEntries(
            answer,
            each((entry) => {
              if (granted.has(entry.fileID)) entry.code = 'SUCCESS';
            }),
          );
      },
    };
  }),
  fault(
    'ST-DELETE-ALONE',
    'one missing file fails the call, though the others are deleted',
    refuseAll('batchDelete', (entries) => entries.length > 1 && entries.some(isBad)),
  ),
  fault(
    'ST-DELETE-ALONE',
    'what follows a missing file stays',
    (context) => ({
      async request(request) {
        if (request.operation !== 'batchDelete' || itemsOf(request).length < 2) return;
        const entries: Json[] = [];
        for (const fileID of itemsOf(request)) {
          const isOver = entries.some(isBad);
          const data = isOver
            ? undefined
            : await context.storage('batchDelete', { fileList: [fileID] });
          entries.push(
            (data?.fileList as Json[])?.[0] ?? { fileID, code: 'STORAGE_FILE_NONEXIST' },
          );
        }
        return toStorageAnswer(200, { data: { fileList: entries } });
      },
    }),
    ['AU-STORAGE-NONE', 'AU-STORAGE-WRONG', 'AU-STORAGE-ENV'],
  ),
  fault('ST-DELETE-ALONE', 'a file ID of another shape fails the call', {
    request: (request) =>
      request.operation === 'batchDelete' &&
      itemsOf(request).length > 1 &&
      itemsOf(request).some((id) => !/^cloud:\/\/[^/]+\/./.test(id))
        ? toStorageRefusal(400, 'INVALID_PARAM')
        : undefined,
  }),
];
