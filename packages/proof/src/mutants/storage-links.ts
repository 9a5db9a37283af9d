import { MutatedAnswer } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import {
  changeEntries,
  changeItems,
  itemsOf,
  leaveOutItems,
  putEntries,
} from './support/answers.ts';

import { toStorageRefusal } from './support/refusals.ts';

export const storageLinks: readonly Mutant[] = [
  {
    rule: 'ST-LINKS-CALL',
    breaks: 'a link to a file without an extension has no host',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) {
            const isPlain = /\/[^./]+$/.test(entry.fileID) && entry.code === 'SUCCESS';
            if (isPlain) entry.tempFileURL = new URL(entry.tempFileURL).pathname;
          }
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-ITEM-FILE-ID',
    breaks: 'an item without fileID is left out, where others have one',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchGetTempUrls') return;
        const fileList = itemsOf(request).filter((item) => 'fileID' in item);
        if (fileList.length > 0) request.json = { ...request.json, fileList };
      },
    }),
  },
  {
    rule: 'ST-LINKS-MAX-AGE',
    breaks: 'a second item with maxAge gets no link',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchGetTempUrls') return;
        leaveOutItems(request, (item, index) =>
          index > 0 && item?.fileID && item.maxAge !== undefined
            ? { fileID: item.fileID, code: 'INVALID_PARAM', tempFileURL: '' }
            : undefined,
        );
      },
      answer: putEntries,
    }),
  },
  {
    rule: 'ST-LINKS-LIST',
    breaks: 'a file that is asked for twice has one entry',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          const byId = new Map(entries.map((entry) => [entry.fileID, entry]));
          return [...byId.values()];
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-LIST',
    breaks: 'a missing file has no entry',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => entries.filter(({ code }) => code === 'SUCCESS'));
      },
    }),
  },
  {
    rule: 'ST-LINKS-FILE-ID',
    breaks: 'the entry of a missing file has an empty fileID',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) if (entry.code !== 'SUCCESS') entry.fileID = '';
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-CODE',
    breaks: 'the code of a file without an extension is OK',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) {
            if (/\/[^./]+$/.test(entry.fileID) && entry.code === 'SUCCESS') entry.code = 'OK';
          }
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-CODE',
    breaks: 'the entry of a missing file has no code',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) if (entry.code !== 'SUCCESS') delete entry.code;
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-URL',
    breaks: 'the entry of a missing file has no tempFileURL',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) if (entry.code !== 'SUCCESS') delete entry.tempFileURL;
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-DOWNLOAD',
    breaks: 'a link works once',
    companions: ['UP-BROKEN'],
    create: () => {
      const used = new Set<string>();
      return {
        request(request) {
          if (!request.isDownload) return;
          if (used.has(request.target)) return new MutatedAnswer(410, {}, 'used');
          used.add(request.target);
        },
      };
    },
  },
  {
    rule: 'ST-LINKS-DOWNLOAD',
    breaks: 'a link to a large file wants credentials',
    companions: [],
    create: () => ({
      answer(answer, request) {
        const isKnown = request.headers.get('X-Svc-Authorization') !== undefined;
        if (!request.isDownload || isKnown || answer.body.length < 50_000) return;
        answer.status = 401;
        answer.body = Buffer.from('Who are you?');
      },
    }),
  },
  {
    rule: 'ST-LINKS-EXPIRE',
    breaks: 'a link lives for an hour at least',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeItems(request, (item) => {
          const { maxAge } = item;
          if (typeof maxAge === 'number' && maxAge > 0) item.maxAge = Math.max(maxAge, 3600);
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-EXPIRE',
    breaks: 'every link with maxAge lives for two seconds',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeItems(request, (item) => {
          const { maxAge } = item;
          if (typeof maxAge === 'number' && maxAge > 2) item.maxAge = 2;
        });
      },
    }),
  },
  {
    rule: 'ST-LINKS-MISSING',
    breaks: 'a file that was deleted has the code SUCCESS, and a link that leads nowhere',
    companions: [],
    create: ({ publicUrl }) => {
      const deleted = new Set<string>();
      return {
        request(request) {
          if (request.operation !== 'batchDelete') return;
          for (const id of itemsOf(request)) deleted.add(id);
        },
        answer(answer, { operation }) {
          if (operation !== 'batchGetTempUrls') return;
          changeEntries(answer, (entries) => {
            for (const entry of entries) {
              if (entry.code === 'SUCCESS' || !deleted.has(entry.fileID)) continue;
              entry.code = 'SUCCESS';
              entry.tempFileURL = `${publicUrl}/files/nowhere`;
            }
          });
        },
      };
    },
  },
  {
    rule: 'ST-LINKS-ALONE',
    breaks: 'a missing file in the last place refuses the call',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        const entries = answer.json?.body?.data?.fileList;
        const isMissing = entries?.at(-1)?.code === 'STORAGE_FILE_NONEXIST';
        if (!isMissing || entries[0].code !== 'SUCCESS') return;
        const refusal = toStorageRefusal(404, 'STORAGE_FILE_NONEXIST');
        answer.status = refusal.status;
        answer.body = refusal.body;
      },
    }),
  },
  {
    rule: 'ST-LINKS-ALONE',
    breaks: 'items behind a missing file get no links',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          const first = entries.findIndex(({ code }) => code !== 'SUCCESS');
          const rest = first < 0 ? [] : entries.slice(first);
          for (const entry of rest) Object.assign(entry, { code: 'ABORTED', tempFileURL: '' });
        });
      },
    }),
  },
];
