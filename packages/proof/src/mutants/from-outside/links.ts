import { type Hooks, type Json, MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import { changeText } from '../support/gateway.ts';
import {
  any,
  changeList,
  links as entries,
  isBad,
  isObject,
  isOk,
  items,
  itemsOf,
  list,
  readsRequests,
  refuse,
  refuseAfter,
  request,
  toStorageResponse,
  unique,
} from '../support/storage.ts';
import { pathOf, readForm } from '../support/uploads.ts';

const LINKS = 'batchGetTempUrls';

/** Changes the entries of links that match. */
const refuseLinks = (isRefused: (items: Json[]) => unknown) =>
  refuse((call) => call.operation === LINKS && isRefused(itemsOf(call)));

const onDownload = (change: (response: MutatedResponse) => void): Hooks => ({
  response(response, { isDownload }) {
    if (isDownload && response.status === 200) change(response);
  },
});

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

/** Mutants that handle links incorrectly, as some real object stores do. */
export const links: readonly Mutant[] = [
  mutant(
    'ST-LINKS-CODE',
    'only the first file gets a link',
    list(LINKS, (all) => {
      for (const entry of all.slice(1)) Object.assign(entry, { code: 'LIMIT', tempFileURL: '' });
    }),
  ),
  mutant(
    'ST-LINKS-ITEM-FILE-ID',
    'an item without fileID fails alone',
    request(LINKS, ({ json }) => {
      const isWithout = (item: unknown) => isObject(item) && !('fileID' in item);
      if (!json?.fileList?.some?.(isWithout)) return undefined;
      const entry = { fileID: '', code: 'INVALID_PARAM', tempFileURL: '' };
      return toStorageResponse(200, { data: { fileList: json.fileList.map(() => entry) } });
    }),
  ),
  ...mutantsOf('ST-LINKS-MAX-AGE', {
    'it is required': refuseLinks((all) => all.some(({ maxAge }) => maxAge === undefined)),
    'one item with it fails a call if another has none': refuseLinks(
      (all) => new Set(all.map(({ maxAge }) => typeof maxAge)).size > 1,
    ),
  }),
  ...mutantsOf('ST-LINKS-LIST', {
    'a duplicate file gets no entry of its own': list(LINKS, unique),
    'missing files get no entry': list(LINKS, (all) => all.filter(isOk)),
  }),
  ...mutantsOf('ST-LINKS-FILE-ID', {
    'it is lower-cased': entries(any, (entry) => {
      entry.fileID = entry.fileID.toLowerCase();
    }),
    'that of a missing file is empty': entries(isBad, { fileID: '' }),
  }),
  mutant(
    'ST-LINKS-DOWNLOAD',
    'entries are in another order than their IDs',
    list(LINKS, (all) => {
      const ids = all.map(({ fileID }) => fileID).reverse();
      for (const [index, entry] of all.entries()) entry.fileID = ids[index];
    }),
  ),
  ...mutantsOf('ST-LINKS-CODE', {
    'it is success': entries(isOk, { code: 'success' }),
    'it is the number 0': entries(isOk, { code: 0 }),
    'that of a missing file is null': entries(isBad, { code: null }),
  }),
  ...mutantsOf('ST-LINKS-URL', {
    'that of a missing file is null': entries(isBad, { tempFileURL: null }),
    'missing files have none': entries(isBad, { tempFileURL: undefined }),
  }),
  ...mutantsOf('ST-LINKS-DOWNLOAD', {
    'all entries have the link of the first': list(LINKS, (all) => {
      const [first, ...more] = all.filter(isOk);
      for (const entry of more) entry.tempFileURL = first.tempFileURL;
    }),
    'a link works only once': () => {
      const seen = new Set<string>();
      return {
        request({ isDownload, target }) {
          if (!isDownload) return;
          if (seen.has(target)) return new MutatedResponse(403);
          seen.add(target);
        },
      };
    },
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
          if (operation !== LINKS) return;
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
  }),
  mutant('UP-KEPT', 'old content is served from a cache', () => {
    const cache = new Map<string, Buffer>();
    return {
      response(response, { isDownload, path }) {
        if (!isDownload || response.status !== 200) return;
        const cached = cache.get(path);
        if (cached) response.body = cached;
        else cache.set(path, response.body);
      },
    };
  }),
  ...mutantsOf('ST-LINKS-EXPIRE', {
    'it works ten times as long': items(LINKS, (item) => {
      if (item.maxAge) item.maxAge *= 10;
    }),
    'maxAge counts as minutes': items(LINKS, (item) => {
      if (item.maxAge) item.maxAge *= 60;
    }),
    'a link that was used before does not expire': downloadsFromCache(403),
  }),
  ...mutantsOf('ST-LINKS-MISSING', {
    'every file ID gets a link': entries(isBad, (entry) => {
      entry.code = 'SUCCESS';
      entry.tempFileURL ||= 'http://127.0.0.1:9/missing';
    }),
    'a deleted file gets links': () => {
      const deleted = new Set<string>();
      return {
        ...readsRequests,
        response(response, { operation }) {
          changeList(response, (all) => {
            for (const entry of all) {
              const { fileID } = entry;
              if (operation === 'batchDelete' && isOk(entry)) deleted.add(fileID);
              if (operation !== LINKS || isOk(entry) || !deleted.has(fileID)) continue;
              const tempFileURL = `http://127.0.0.1:9/${encodeURIComponent(fileID)}`;
              Object.assign(entry, { code: 'SUCCESS', tempFileURL });
            }
          });
        },
      };
    },
    'a missing file gets a link if a file with a longer name exists': ({ publicUrl }) => {
      const stored = new Set<string>();
      const isBeginning = (path: string) =>
        [...stored].some((one) => one !== path && one.startsWith(path));
      return {
        ...entries(
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
  }),
  ...mutantsOf('ST-LINKS-ALONE', {
    'one missing file fails the call': refuseAfter(
      LINKS,
      (all) => all.length > 1 && all.some(isBad),
    ),
    'what follows a missing file fails too': list(LINKS, (all) => {
      const first = all.findIndex(isBad);
      for (const entry of first < 0 ? [] : all.slice(first))
        Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
    }),
    'what comes before a missing file fails too': list(LINKS, (all) => {
      for (const entry of all.slice(0, Math.max(all.findLastIndex(isBad), 0)))
        Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
    }),
    'a file ID in another form fails the call': refuseLinks(
      (all) => all.length > 1 && all.some(({ fileID }) => !/^cloud:\/\/[^/]+\/./.test(fileID)),
    ),
  }),
];
