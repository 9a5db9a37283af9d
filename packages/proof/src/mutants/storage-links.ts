import { type Json, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { changeText, replace } from './support/gateway.ts';
import {
  linksWorkOnce,
  onlyNewestLinkWorks,
  toPath,
  usedLinksWork,
  watching,
} from './support/history.ts';
import {
  any,
  isBad,
  isObject,
  isOk,
  items,
  itemsOf,
  LINKS,
  leaveOut,
  links,
  list,
  refuse,
  refuseAfter,
  request,
  toStorageResponse,
  unique,
} from './support/storage.ts';
import { onDownload } from './support/uploads.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

const refuseLinks = (isRefused: (items: Json[]) => unknown) =>
  refuse((call) => call.operation === LINKS && isRefused(itemsOf(call)));

const failed = (code: string) => ({ code, tempFileURL: '' });

export const storageLinks: Rows = {
  'ST-LINKS-CALL': {
    'a link to a file without an extension has no host': links(hasNoExtension, {
      tempFileURL: (url) => new URL(url).pathname,
    }),
  },
  'ST-LINKS-ITEM-FILE-ID': {
    'an item without fileID is skipped if others have one': request(LINKS, (call) => {
      const fileList = itemsOf(call).filter((item) => 'fileID' in item);
      if (fileList.length > 0) call.json = { ...call.json, fileList };
    }),
    'an item without fileID fails alone': request(LINKS, ({ json }) => {
      const isWithout = (item: unknown) => isObject(item) && !('fileID' in item);
      if (!json?.fileList?.some?.(isWithout)) return undefined;
      const entry = { fileID: '', ...failed('INVALID_PARAM') };
      return toStorageResponse(200, { data: { fileList: json.fileList.map(() => entry) } });
    }),
  },
  'ST-LINKS-MAX-AGE': {
    'the second item with a maxAge gets no link': leaveOut(LINKS, ({ fileID, maxAge }, index) =>
      index > 0 && fileID && maxAge !== undefined
        ? { fileID, ...failed('INVALID_PARAM') }
        : undefined,
    ),
    'it is required': refuseLinks((all) => all.some(({ maxAge }) => maxAge === undefined)),
    'one item with it fails a call if another has none': refuseLinks(
      (all) => new Set(all.map(({ maxAge }) => typeof maxAge)).size > 1,
    ),
  },
  'ST-LINKS-LIST': {
    'a file requested twice has only one entry': list(LINKS, unique),
    'a missing file gets no entry': list(LINKS, (entries) => entries.filter(isOk)),
    'only the first ten items get an entry': list(LINKS, (all) => all.slice(0, 10)),
    'the entries of a long list are not objects from the tenth on': list(LINKS, (all) =>
      all.map((entry, index) => (index < 9 ? entry : String(entry.fileID))),
    ),
  },
  'ST-LINKS-FILE-ID': {
    'the entry for a missing file has an empty fileID': links(isBad, { fileID: '' }),
    'it is lower-cased': links(any, { fileID: (id) => id.toLowerCase() }),
  },
  'ST-LINKS-CODE': {
    'the code for a file without an extension is OK': links(hasNoExtension, { code: 'OK' }),
    'the entry for a missing file has no code': links(isBad, { code: undefined }),
    'from the sixth item on, existing files are missing': links(
      (_, __, index) => index > 4,
      failed('MISSING'),
    ),
    'only the first file gets a link': links((_, __, index) => index > 0, failed('LIMIT')),
    'it is success': links(isOk, { code: 'success' }),
    'it is the number 0': links(isOk, { code: 0 }),
    'that of a missing file is null': links(isBad, { code: null }),
  },
  'ST-LINKS-URL': {
    'the entry for a missing file has no tempFileURL': links(isBad, { tempFileURL: undefined }),
    'that of a missing file is null': links(isBad, { tempFileURL: null }),
  },
  'ST-LINKS-DOWNLOAD': {
    'a link works only once': [linksWorkOnce, 'UP-BROKEN', 'ST-LINKS-EXPIRE'],
    'a link to a large file needs credentials': {
      response(response, { isDownload, headers }) {
        const isKnown = headers.get('X-Svc-Authorization') !== undefined;
        if (!isDownload || isKnown || response.body.length < 50_000) return;
        response.status = 401;
        response.body = Buffer.from('Who are you?');
      },
    },
    'from the fourth item on, each link is that of the item before': list(LINKS, (all) => {
      const given = all.map(({ tempFileURL }) => tempFileURL);
      for (const [index, entry] of all.entries())
        if (index > 2 && isOk(entry) && given[index - 1]) entry.tempFileURL = given[index - 1];
    }),
    'the last of five links is that of the first': list(LINKS, (all) => {
      if (all.length >= 5 && isOk(all[0]) && isOk(all.at(-1)))
        all.at(-1).tempFileURL = all[0].tempFileURL;
    }),
    'entries are in another order than their IDs': list(LINKS, (all) => {
      const ids = all.map(({ fileID }) => fileID).reverse();
      for (const [index, entry] of all.entries()) entry.fileID = ids[index];
    }),
    'all entries have the link of the first': list(LINKS, (all) => {
      const [first, ...more] = all.filter(isOk);
      for (const entry of more) entry.tempFileURL = first.tempFileURL;
    }),
    'CRLF becomes LF': onDownload(changeText(replace('\r\n', '\n'))),
    'an empty file is not found': onDownload((response) => {
      if (response.body.length === 0) response.status = 404;
    }),
    'a new link invalidates the old link of the file': onlyNewestLinkWorks,
    'a link redirects to a login page': {
      request: ({ isDownload, headers, target }) =>
        isDownload && /sign|expires|token/i.test(target) && !headers.get('Cookie')
          ? new MutatedResponse(302, { Location: '/login' })
          : undefined,
    },
  },
  'ST-LINKS-EXPIRE': {
    'a link works for at least an hour': items(LINKS, {
      maxAge: (age) => age && Math.max(age, 3600),
    }),
    'every link with a maxAge works for only two seconds': items(LINKS, {
      maxAge: (age) => age && Math.min(age, 2),
    }),
    'it works ten times as long': items(LINKS, { maxAge: (age) => age && age * 10 }),
    'maxAge counts as minutes': items(LINKS, { maxAge: (age) => age && age * 60 }),
    'a link that was used before does not expire': usedLinksWork,
  },
  'ST-LINKS-MISSING': {
    'a deleted file has the code SUCCESS and a broken link': watching(({ publicUrl }) => {
      const deleted = new Set<string>();
      return {
        ...links((entry) => isBad(entry) && deleted.has(toPath(entry.fileID)), {
          code: 'SUCCESS',
          tempFileURL: `${publicUrl}/files/nowhere`,
        }),
        deleted: (path) => deleted.add(path),
      };
    }),
    'a missing file gets a link if a file with a longer name exists': watching(
      ({ files, publicUrl }) => {
        const isBeginning = (path: string) =>
          path !== '' && [...files.keys()].some((one) => one !== path && one.startsWith(path));
        return links((entry) => isBad(entry) && isBeginning(toPath(entry.fileID)), {
          code: 'SUCCESS',
          tempFileURL: `${publicUrl}/x`,
        });
      },
    ),
  },
  'ST-LINKS-ALONE': {
    'a missing file in the last item causes the call to be rejected': refuseAfter(
      LINKS,
      (entries) => entries.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(entries[0]),
    ),
    'items after a missing file get no links': list(LINKS, (entries) => {
      const first = entries.findIndex(isBad);
      const rest = first < 0 ? [] : entries.slice(first);
      for (const entry of rest) Object.assign(entry, failed('ABORTED'));
    }),
    'what comes before a missing file fails too': list(LINKS, (all) => {
      for (const entry of all.slice(0, Math.max(all.findLastIndex(isBad), 0)))
        Object.assign(entry, failed('STORAGE_FILE_NONEXIST'));
    }),
    'a file ID in another form fails the call': refuseLinks(
      (all) => all.length > 1 && all.some(({ fileID }) => !/^cloud:\/\/[^/]+\/./.test(fileID)),
    ),
  },
};
