import { type Json, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { changeText } from './support/gateway.ts';
import {
  any,
  isBad,
  isObject,
  isOk,
  items,
  itemsOf,
  leaveOut,
  links,
  list,
  refuse,
  refuseAfter,
  request,
  toStorageResponse,
  unique,
} from './support/storage.ts';
import { onDownload, pathOf, readForm } from './support/uploads.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

const refuseLinks = (isRefused: (items: Json[]) => unknown) =>
  refuse((call) => call.operation === 'batchGetTempUrls' && isRefused(itemsOf(call)));

/**
 * Creates a mutant that responds with the content of an earlier download if a download fails with this
 * status.
 */
export const downloadsFromCache = (status: number) => (): ReturnType<Mutant['create']> => {
  const seen = new Map<string, Buffer>();
  return {
    response(response, { isDownload, target }) {
      if (!isDownload) return;
      if (response.status === 200) seen.set(target, response.body);
      else if (response.status === status && seen.has(target))
        Object.assign(response, { status: 200, body: seen.get(target) });
    },
  };
};

export const storageLinks: Rows = {
  'ST-LINKS-CALL': {
    'a link to a file without an extension has no host': links(hasNoExtension, (entry) => {
      entry.tempFileURL = new URL(entry.tempFileURL).pathname;
    }),
  },
  'ST-LINKS-ITEM-FILE-ID': {
    'an item without fileID is skipped if others have one': request('batchGetTempUrls', (call) => {
      const fileList = itemsOf(call).filter((item) => 'fileID' in item);
      if (fileList.length > 0) call.json = { ...call.json, fileList };
    }),
    'an item without fileID fails alone': request('batchGetTempUrls', ({ json }) => {
      const isWithout = (item: unknown) => isObject(item) && !('fileID' in item);
      if (!json?.fileList?.some?.(isWithout)) return undefined;
      const entry = { fileID: '', code: 'INVALID_PARAM', tempFileURL: '' };
      return toStorageResponse(200, { data: { fileList: json.fileList.map(() => entry) } });
    }),
  },
  'ST-LINKS-MAX-AGE': {
    'the second item with a maxAge gets no link': leaveOut(
      'batchGetTempUrls',
      ({ fileID, maxAge }, index) =>
        index > 0 && fileID && maxAge !== undefined
          ? { fileID, code: 'INVALID_PARAM', tempFileURL: '' }
          : undefined,
    ),
    'it is required': refuseLinks((all) => all.some(({ maxAge }) => maxAge === undefined)),
    'one item with it fails a call if another has none': refuseLinks(
      (all) => new Set(all.map(({ maxAge }) => typeof maxAge)).size > 1,
    ),
  },
  'ST-LINKS-LIST': {
    'a file requested twice has only one entry': list('batchGetTempUrls', unique),
    'a missing file gets no entry': list('batchGetTempUrls', (entries) => entries.filter(isOk)),
    'only the first ten items get an entry': list('batchGetTempUrls', (all) => all.slice(0, 10)),
    'the entries of a long list are not objects from the tenth on': list(
      'batchGetTempUrls',
      (all) => all.map((entry, index) => (index < 9 ? entry : String(entry.fileID))),
    ),
  },
  'ST-LINKS-FILE-ID': {
    'the entry for a missing file has an empty fileID': links(isBad, { fileID: '' }),
    'it is lower-cased': links(any, (entry) => {
      entry.fileID = entry.fileID.toLowerCase();
    }),
  },
  'ST-LINKS-CODE': {
    'the code for a file without an extension is OK': links(hasNoExtension, { code: 'OK' }),
    'the entry for a missing file has no code': links(isBad, { code: undefined }),
    'from the sixth item on, existing files are missing': list('batchGetTempUrls', (all) => {
      for (const entry of all.slice(5)) Object.assign(entry, { code: 'MISSING', tempFileURL: '' });
    }),
    'only the first file gets a link': list('batchGetTempUrls', (all) => {
      for (const entry of all.slice(1)) Object.assign(entry, { code: 'LIMIT', tempFileURL: '' });
    }),
    'it is success': links(isOk, { code: 'success' }),
    'it is the number 0': links(isOk, { code: 0 }),
    'that of a missing file is null': links(isBad, { code: null }),
  },
  'ST-LINKS-URL': {
    'the entry for a missing file has no tempFileURL': links(isBad, { tempFileURL: undefined }),
    'that of a missing file is null': links(isBad, { tempFileURL: null }),
  },
  'ST-LINKS-DOWNLOAD': {
    'a link works only once': [
      () => {
        const used = new Set<string>();
        return {
          request({ isDownload, target }) {
            if (!isDownload) return;
            if (used.has(target)) return new MutatedResponse(410, {}, 'used');
            used.add(target);
          },
        };
      },
      'UP-BROKEN',
      'ST-LINKS-EXPIRE',
    ],
    'a link to a large file needs credentials': {
      response(response, { isDownload, headers }) {
        const isKnown = headers.get('X-Svc-Authorization') !== undefined;
        if (!isDownload || isKnown || response.body.length < 50_000) return;
        response.status = 401;
        response.body = Buffer.from('Who are you?');
      },
    },
    'from the fourth item on, each link is that of the item before': list(
      'batchGetTempUrls',
      (all) => {
        const given = all.map(({ tempFileURL }) => tempFileURL);
        for (const [index, entry] of all.entries())
          if (index > 2 && isOk(entry) && given[index - 1]) entry.tempFileURL = given[index - 1];
      },
    ),
    'the last of five links is that of the first': list('batchGetTempUrls', (all) => {
      if (all.length >= 5 && isOk(all[0]) && isOk(all.at(-1)))
        all.at(-1).tempFileURL = all[0].tempFileURL;
    }),
    'entries are in another order than their IDs': list('batchGetTempUrls', (all) => {
      const ids = all.map(({ fileID }) => fileID).reverse();
      for (const [index, entry] of all.entries()) entry.fileID = ids[index];
    }),
    'all entries have the link of the first': list('batchGetTempUrls', (all) => {
      const [first, ...more] = all.filter(isOk);
      for (const entry of more) entry.tempFileURL = first.tempFileURL;
    }),
    'CRLF becomes LF': onDownload(changeText((text) => text.replaceAll('\r\n', '\n'))),
    'an empty file is not found': onDownload((response) => {
      if (response.body.length === 0) response.status = 404;
    }),
    'a new link invalidates the old link of the file': () => {
      const current = new Map<string, string>();
      const dead = new Set<string>();
      return {
        request: ({ isDownload, target }) =>
          isDownload && dead.has(target) ? new MutatedResponse(403) : undefined,
        response(response, { operation }) {
          if (operation !== 'batchGetTempUrls') return;
          for (const { fileID, tempFileURL } of response.json?.body?.data?.fileList ?? []) {
            if (!tempFileURL) continue;
            const { pathname, search } = new URL(tempFileURL);
            const old = current.get(fileID);
            if (old && old !== pathname + search) dead.add(old);
            current.set(fileID, pathname + search);
          }
        },
      };
    },
    'a link redirects to a login page': {
      request: ({ isDownload, headers, target }) =>
        isDownload && /sign|expires|token/i.test(target) && !headers.get('Cookie')
          ? new MutatedResponse(302, { Location: '/login' })
          : undefined,
    },
  },
  'ST-LINKS-EXPIRE': {
    'a link works for at least an hour': items('batchGetTempUrls', (item) => {
      if (item.maxAge > 0) item.maxAge = Math.max(item.maxAge, 3600);
    }),
    'every link with a maxAge works for only two seconds': items('batchGetTempUrls', (item) => {
      if (item.maxAge > 2) item.maxAge = 2;
    }),
    'it works ten times as long': items('batchGetTempUrls', (item) => {
      if (item.maxAge) item.maxAge *= 10;
    }),
    'maxAge counts as minutes': items('batchGetTempUrls', (item) => {
      if (item.maxAge) item.maxAge *= 60;
    }),
    'a link that was used before does not expire': downloadsFromCache(403),
  },
  'ST-LINKS-MISSING': {
    'a deleted file has the code SUCCESS and a broken link': ({ publicUrl }) => {
      const deleted = new Set<string>();
      return {
        ...links((entry) => isBad(entry) && deleted.has(entry.fileID), {
          code: 'SUCCESS',
          tempFileURL: `${publicUrl}/files/nowhere`,
        }),
        ...request('batchDelete', (call) => {
          for (const id of itemsOf(call)) deleted.add(id);
        }),
      };
    },
    'a missing file gets a link if a file with a longer name exists': ({ publicUrl }) => {
      const stored = new Set<string>();
      const isBeginning = (path: string) =>
        [...stored].some((one) => one !== path && one.startsWith(path));
      return {
        ...links(
          (entry) => {
            const path = pathOf(entry.fileID);
            return isBad(entry) && path && isBeginning(path);
          },
          { code: 'SUCCESS', tempFileURL: `${publicUrl}/x` },
        ),
        request(call) {
          if (call.isUpload) stored.add(String(readForm(call).get('key')));
        },
      };
    },
  },
  'ST-LINKS-ALONE': {
    'a missing file in the last item causes the call to be rejected': refuseAfter(
      'batchGetTempUrls',
      (entries) => entries.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(entries[0]),
    ),
    'items after a missing file get no links': list('batchGetTempUrls', (entries) => {
      const first = entries.findIndex(isBad);
      const rest = first < 0 ? [] : entries.slice(first);
      for (const entry of rest) Object.assign(entry, { code: 'ABORTED', tempFileURL: '' });
    }),
    'what comes before a missing file fails too': list('batchGetTempUrls', (all) => {
      for (const entry of all.slice(0, Math.max(all.findLastIndex(isBad), 0)))
        Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
    }),
    'a file ID in another form fails the call': refuseLinks(
      (all) => all.length > 1 && all.some(({ fileID }) => !/^cloud:\/\/[^/]+\/./.test(fileID)),
    ),
  },
};
