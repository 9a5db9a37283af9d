import { type Hooks, type Json, MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { changeEntries, changeItems, itemsOf, seesItems } from '../support/answers.ts';
import { toStorageAnswer, toStorageRefusal } from '../support/refusals.ts';
import { readForm } from '../support/uploads.ts';
import { changeText, each, fault, isBad, isOk, ofEntries, refuseAll, unique } from './fault.ts';

const ofLinks = (change: (entries: Json[], items: Json[]) => unknown) =>
  ofEntries('batchGetTempUrls', change);
const ofDownloads = (change: (answer: MutatedAnswer) => void): Hooks => ({
  answer(answer, { isDownload }) {
    if (isDownload && answer.status === 200) change(answer);
  },
});

/** What object stores do to links. */
export const links: readonly Mutant[] = [
  fault(
    'ST-LINKS-CODE',
    'only the first file gets a link',
    ofLinks((entries) => {
      for (const entry of entries.slice(1)) {
        entry.code = 'LIMIT';
        entry.tempFileURL = '';
      }
    }),
    ['ST-LINKS-ALONE', 'ST-LINKS-CODE'],
  ),
  fault('ST-LINKS-ITEM-FILE-ID', 'an item without fileID fails alone', {
    request(request) {
      if (
        request.operation === 'batchGetTempUrls' &&
        request.json?.fileList?.some?.(
          (item: Json) => item && typeof item === 'object' && !('fileID' in item),
        )
      ) {
        return toStorageAnswer(200, {
          data: {
            fileList: request.json.fileList.map(() => ({
              fileID: '',
              code: 'INVALID_PARAM',
              tempFileURL: '',
            })),
          },
        });
      }
      return undefined;
    },
  }),
  fault('ST-LINKS-MAX-AGE', 'it may not be left out', {
    request: (request) =>
      request.operation === 'batchGetTempUrls' &&
      itemsOf(request).some(({ maxAge }) => maxAge === undefined)
        ? toStorageRefusal(400, 'INVALID_PARAM')
        : undefined,
  }),
  fault('ST-LINKS-MAX-AGE', 'one item with it fails a call where another has none', {
    request: (request) =>
      request.operation === 'batchGetTempUrls' &&
      new Set(itemsOf(request).map(({ maxAge }) => typeof maxAge)).size > 1
        ? toStorageRefusal(400, 'INVALID_PARAM')
        : undefined,
  }),
  fault('ST-LINKS-LIST', 'a file that is named twice gets one entry', ofLinks(unique)),
  fault(
    'ST-LINKS-LIST',
    'missing files get no entry',
    ofLinks((entries) => entries.filter(isOk)),
    ['ST-LINKS-MISSING'],
  ),
  fault(
    'ST-LINKS-FILE-ID',
    'it is lower-cased',
    ofLinks(
      each((entry) => {
        entry.fileID = entry.fileID.toLowerCase();
      }),
    ),
  ),
  fault(
    'ST-LINKS-FILE-ID',
    'that of a missing file is empty',
    ofLinks(
      each((entry) => {
        if (!isOk(entry)) entry.fileID = '';
      }),
    ),
  ),
  fault(
    'ST-LINKS-DOWNLOAD',
    'entries are in another order than their IDs',
    ofLinks((entries) => {
      const ids = entries.map(({ fileID }) => fileID).reverse();
      entries.forEach((entry, index) => {
        entry.fileID = ids[index];
      });
    }),
  ),
  fault(
    'ST-LINKS-CODE',
    'it is success',
    ofLinks(
      each((entry) => {
        if (isOk(entry)) entry.code = 'success';
      }),
    ),
  ),
  fault(
    'ST-LINKS-CODE',
    'it is the number 0',
    ofLinks(
      each((entry) => {
        if (isOk(entry)) entry.code = 0;
      }),
    ),
  ),
  fault(
    'ST-LINKS-CODE',
    'that of a missing file is null',
    ofLinks(
      each((entry) => {
        if (!isOk(entry)) entry.code = null;
      }),
    ),
  ),
  fault(
    'ST-LINKS-URL',
    'that of a missing file is null',
    ofLinks(
      each((entry) => {
        if (!isOk(entry)) entry.tempFileURL = null;
      }),
    ),
  ),
  fault(
    'ST-LINKS-URL',
    'missing files have none',
    ofLinks(
      each((entry) => {
        if (!isOk(entry)) delete entry.tempFileURL;
      }),
    ),
  ),
  fault(
    'ST-LINKS-DOWNLOAD',
    'all entries have the link of the first',
    ofLinks((entries) => {
      const first = entries.find(isOk);
      for (const entry of entries) if (isOk(entry)) entry.tempFileURL = first.tempFileURL;
    }),
  ),
  fault('ST-LINKS-DOWNLOAD', 'a link works once', () => {
    const seen = new Set<string>();
    return {
      request({ isDownload, target }) {
        if (!isDownload) return;
        if (seen.has(target)) return new MutatedAnswer(403);
        seen.add(target);
      },
    };
  }),
  fault(
    'ST-LINKS-DOWNLOAD',
    'CRLF becomes LF',
    ofDownloads((answer) => {
      changeText(answer, (text) => text.replaceAll('\r\n', '\n'));
    }),
    ['UP-FILE'],
  ),
  fault(
    'ST-LINKS-DOWNLOAD',
    'an empty file is not found',
    ofDownloads((answer) => {
      if (answer.body.length === 0) answer.status = 404;
    }),
    ['UP-FILE'],
  ),
  fault('ST-LINKS-DOWNLOAD', 'a new link ends the old one of the file', () => {
    const current = new Map<string, string>();
    const dead = new Set<string>();
    return {
      request: ({ isDownload, target }) =>
        isDownload && dead.has(target) ? new MutatedAnswer(403) : undefined,
      answer(answer, { operation }) {
        if (operation !== 'batchGetTempUrls') return;
        for (const { fileID, tempFileURL } of answer.json?.body?.data?.fileList ?? []) {
          if (!tempFileURL) continue;
          const { pathname, search } = new URL(tempFileURL);
          const old = current.get(fileID);
          if (old && old !== pathname + search) dead.add(old);
          current.set(fileID, pathname + search);
        }
      },
    };
  }),
  fault('ST-LINKS-DOWNLOAD', 'a link goes on to a page for logging in', {
    request: ({ isDownload, headers, target }) =>
      isDownload && /sign|expires|token/i.test(target) && !headers.get('Cookie')
        ? new MutatedAnswer(302, { Location: '/login' })
        : undefined,
  }),
  fault(
    'UP-KEPT',
    'an old content is served from a cache',
    () => {
      const cache = new Map<string, MutatedAnswer>();
      return {
        answer(answer, { isDownload, path }) {
          if (!isDownload || answer.status !== 200) return;
          const cached = cache.get(path);
          if (cached) answer.body = cached.body;
          else cache.set(path, new MutatedAnswer(200, {}, answer.body));
        },
      };
    },
    [
      'ST-COPY-OVERWRITE-DEFAULT',
      'ST-COPY-OVERWRITE-TRUE',
      'UP-KEPT',
      'UP-FILE',
      'UP-WHOLE',
      'UP-BROKEN',
      'ST-COPY-CALL',
    ],
  ),
  fault('ST-LINKS-EXPIRE', 'it lives ten times as long', {
    request(request) {
      if (request.operation === 'batchGetTempUrls')
        changeItems(request, (item) => {
          if (typeof item.maxAge === 'number') item.maxAge *= 10;
        });
    },
  }),
  fault('ST-LINKS-EXPIRE', 'maxAge is taken for minutes', {
    request(request) {
      if (request.operation === 'batchGetTempUrls')
        changeItems(request, (item) => {
          if (typeof item.maxAge === 'number') item.maxAge *= 60;
        });
    },
  }),
  fault(
    'ST-LINKS-EXPIRE',
    'a link that was used before lives on',
    () => {
      const used = new Map<string, MutatedAnswer>();
      return {
        answer(answer, { isDownload, target }) {
          if (!isDownload) return;
          const before = used.get(target);
          if (answer.status === 200)
            used.set(target, new MutatedAnswer(200, answer.headers, answer.body));
          else if (before && answer.status === 403)
            Object.assign(answer, { status: 200, body: before.body });
        },
      };
    },
    ['ST-DELETE-CALL'],
  ),
  fault(
    'ST-LINKS-MISSING',
    'every file ID gets a link',
    ofLinks(
      each((entry) => {
        if (!isOk(entry)) {
          entry.code = 'SUCCESS';
          entry.tempFileURL ||= 'http://127.0.0.1:9/missing';
        }
      }),
    ),
    [
      'ST-DELETE-CALL',
      'ST-COPY-MOVE',
      'UP-BROKEN',
      'UP-WHOLE',
      'UP-SIGNATURE',
      'UP-TOKEN',
      'UP-KEY',
      'UP-META-FILE-ID',
      'ST-LINKS-DOWNLOAD',
      'ST-COPY-MISSING',
      'ST-COPY-MOVE-FAILED',
      'UP-SUCCESS',
      'UP-ERROR',
    ],
  ),
  fault(
    'ST-LINKS-MISSING',
    'a deleted file gets links',
    () => {
      const deleted = new Set<string>();
      return {
        ...seesItems,
        answer(answer, request) {
          changeEntries(answer, (entries) => {
            for (const entry of entries) {
              if (request.operation === 'batchDelete' && isOk(entry)) deleted.add(entry.fileID);
              else if (
                request.operation === 'batchGetTempUrls' &&
                deleted.has(entry.fileID) &&
                !isOk(entry)
              )
                Object.assign(entry, {
                  code: 'SUCCESS',
                  tempFileURL: `http://127.0.0.1:9/${encodeURIComponent(entry.fileID)}`,
                });
            }
          });
        },
      };
    },
    ['ST-DELETE-CALL'],
  ),
  fault('ST-LINKS-MISSING', 'a file of which a longer name exists gets a link', (context) => {
    const stored = new Set<string>();
    return {
      request(request) {
        if (request.isUpload) stored.add(String(readForm(request).get('key')));
      },
      answer(answer, { operation }) {
        if (operation !== 'batchGetTempUrls') return;
        changeEntries(
          answer,
          each((entry) => {
            const path = String(entry.fileID).replace(/^cloud:\/\/[^/]*\//, '');
            if (
              !isOk(entry) &&
              path &&
              [...stored].some((one) => one !== path && one.startsWith(path))
            )
              Object.assign(entry, { code: 'SUCCESS', tempFileURL: `${context.publicUrl}/x` });
          }),
        );
      },
    };
  }),
  fault(
    'ST-LINKS-ALONE',
    'one missing file fails the call',
    refuseAll('batchGetTempUrls', (entries) => entries.length > 1 && entries.some(isBad)),
  ),
  fault(
    'ST-LINKS-ALONE',
    'what follows a missing file fails too',
    ofLinks((entries) => {
      const first = entries.findIndex(isBad);
      if (first >= 0)
        for (const entry of entries.slice(first))
          Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
    }),
  ),
  fault(
    'ST-LINKS-ALONE',
    'what comes before a missing file fails too',
    ofLinks((entries) => {
      const last = entries.findLastIndex(isBad);
      if (last > 0)
        for (const entry of entries.slice(0, last))
          Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
    }),
  ),
  fault('ST-LINKS-ALONE', 'a file ID of another shape fails the call', {
    request: (request) =>
      request.operation === 'batchGetTempUrls' &&
      itemsOf(request).length > 1 &&
      itemsOf(request).some(({ fileID }) => !/^cloud:\/\/[^/]+\/./.test(fileID))
        ? toStorageRefusal(400, 'INVALID_PARAM')
        : undefined,
  }),
];
