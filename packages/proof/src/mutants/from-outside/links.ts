import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import { type Json, MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, mutant } from '../mutant.ts';
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
  type Patch,
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
const onEntries = (
  rule: RuleId,
  breaks: string,
  isWanted: (entry: Json) => unknown,
  patch: Patch,
): Mutant => mutant(rule, breaks, entries(isWanted, patch));

const onList = (rule: RuleId, breaks: string, change: (entries: Json[]) => unknown): Mutant =>
  mutant(rule, breaks, list(LINKS, change));

const refuseLinks = (rule: RuleId, breaks: string, isRefused: (items: Json[]) => unknown): Mutant =>
  mutant(
    rule,
    breaks,
    refuse((call) => call.operation === LINKS && isRefused(itemsOf(call))),
  );

const onDownload = (breaks: string, change: (response: MutatedResponse) => void): Mutant =>
  mutant('ST-LINKS-DOWNLOAD', breaks, {
    response(response, { isDownload }) {
      if (isDownload && response.status === 200) change(response);
    },
  });

/**
 * Creates a mutant: if a download fails with this status, it responds with the content of an earlier
 * download.
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

/** Mutants that handle links incorrectly, as real object stores do. */
export const links: readonly Mutant[] = [
  onList('ST-LINKS-CODE', 'only the first file gets a link', (all) => {
    for (const entry of all.slice(1)) Object.assign(entry, { code: 'LIMIT', tempFileURL: '' });
  }),
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
  refuseLinks('ST-LINKS-MAX-AGE', 'it is required', (all) =>
    all.some(({ maxAge }) => maxAge === undefined),
  ),
  refuseLinks(
    'ST-LINKS-MAX-AGE',
    'one item with it fails a call if another has none',
    (all) => new Set(all.map(({ maxAge }) => typeof maxAge)).size > 1,
  ),
  onList('ST-LINKS-LIST', 'a duplicate file gets no entry of its own', unique),
  onList('ST-LINKS-LIST', 'missing files get no entry', (all) => all.filter(isOk)),
  onEntries('ST-LINKS-FILE-ID', 'it is lower-cased', any, (entry) => {
    entry.fileID = entry.fileID.toLowerCase();
  }),
  onEntries('ST-LINKS-FILE-ID', 'that of a missing file is empty', isBad, { fileID: '' }),
  onList('ST-LINKS-DOWNLOAD', 'entries are in another order than their IDs', (all) => {
    const ids = all.map(({ fileID }) => fileID).reverse();
    for (const [index, entry] of all.entries()) entry.fileID = ids[index];
  }),
  onEntries('ST-LINKS-CODE', 'it is success', isOk, { code: 'success' }),
  onEntries('ST-LINKS-CODE', 'it is the number 0', isOk, { code: 0 }),
  onEntries('ST-LINKS-CODE', 'that of a missing file is null', isBad, { code: null }),
  onEntries('ST-LINKS-URL', 'that of a missing file is null', isBad, { tempFileURL: null }),
  onEntries('ST-LINKS-URL', 'missing files have none', isBad, { tempFileURL: undefined }),
  onList('ST-LINKS-DOWNLOAD', 'all entries have the link of the first', (all) => {
    const [first, ...more] = all.filter(isOk);
    for (const entry of more) entry.tempFileURL = first.tempFileURL;
  }),
  mutant('ST-LINKS-DOWNLOAD', 'a link works only once', () => {
    const seen = new Set<string>();
    return {
      request({ isDownload, target }) {
        if (!isDownload) return;
        if (seen.has(target)) return new MutatedResponse(403);
        seen.add(target);
      },
    };
  }),
  onDownload(
    'CRLF becomes LF',
    changeText((text) => text.replaceAll('\r\n', '\n')),
  ),
  onDownload('an empty file is not found', (response) => {
    if (response.body.length === 0) response.status = 404;
  }),
  mutant('ST-LINKS-DOWNLOAD', 'a new link ends the old one of the file', () => {
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
  }),
  mutant('ST-LINKS-DOWNLOAD', 'a link redirects to a login page', {
    request: ({ isDownload, headers, target }) =>
      isDownload && /sign|expires|token/i.test(target) && !headers.get('Cookie')
        ? new MutatedResponse(302, { Location: '/login' })
        : undefined,
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
  mutant(
    'ST-LINKS-EXPIRE',
    'it works ten times as long',
    items(LINKS, (item) => {
      if (item.maxAge) item.maxAge *= 10;
    }),
  ),
  mutant(
    'ST-LINKS-EXPIRE',
    'maxAge counts as minutes',
    items(LINKS, (item) => {
      if (item.maxAge) item.maxAge *= 60;
    }),
  ),
  mutant('ST-LINKS-EXPIRE', 'a link that was used before does not expire', downloadsFromCache(403)),
  onEntries('ST-LINKS-MISSING', 'every file ID gets a link', isBad, (entry) => {
    entry.code = 'SUCCESS';
    entry.tempFileURL ||= 'http://127.0.0.1:9/missing';
  }),
  mutant('ST-LINKS-MISSING', 'a deleted file gets links', () => {
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
  }),
  mutant(
    'ST-LINKS-MISSING',
    'a missing file gets a link if a file with a longer name exists',
    ({ publicUrl }) => {
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
  ),
  mutant(
    'ST-LINKS-ALONE',
    'one missing file fails the call',
    refuseAfter(LINKS, (all) => all.length > 1 && all.some(isBad)),
  ),
  onList('ST-LINKS-ALONE', 'what follows a missing file fails too', (all) => {
    const first = all.findIndex(isBad);
    for (const entry of first < 0 ? [] : all.slice(first))
      Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
  }),
  onList('ST-LINKS-ALONE', 'what comes before a missing file fails too', (all) => {
    for (const entry of all.slice(0, Math.max(all.findLastIndex(isBad), 0)))
      Object.assign(entry, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' });
  }),
  refuseLinks(
    'ST-LINKS-ALONE',
    'a file ID in another form fails the call',
    (all) => all.length > 1 && all.some(({ fileID }) => !/^cloud:\/\/[^/]+\/./.test(fileID)),
  ),
];
