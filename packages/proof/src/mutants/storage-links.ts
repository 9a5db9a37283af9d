import type { Json } from '../proxy/messages.ts';
import { MutatedResponse } from '../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  isBad,
  isOk,
  items,
  itemsOf,
  leaveOut,
  links,
  list,
  refuseAfter,
  request,
  unique,
} from './support/storage.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

export const storageLinks: readonly Mutant[] = [
  mutant(
    'ST-LINKS-CALL',
    'a link to a file without an extension has no host',
    links(hasNoExtension, (entry) => {
      entry.tempFileURL = new URL(entry.tempFileURL).pathname;
    }),
  ),
  mutant(
    'ST-LINKS-ITEM-FILE-ID',
    'an item without fileID is skipped if others have one',
    request('batchGetTempUrls', (call) => {
      const fileList = itemsOf(call).filter((item) => 'fileID' in item);
      if (fileList.length > 0) call.json = { ...call.json, fileList };
    }),
  ),
  mutant(
    'ST-LINKS-MAX-AGE',
    'the second item with a maxAge gets no link',
    leaveOut('batchGetTempUrls', ({ fileID, maxAge }, index) =>
      index > 0 && fileID && maxAge !== undefined
        ? { fileID, code: 'INVALID_PARAM', tempFileURL: '' }
        : undefined,
    ),
  ),
  ...mutantsOf('ST-LINKS-LIST', {
    'a file requested twice has only one entry': list('batchGetTempUrls', unique),
    'a missing file gets no entry': list('batchGetTempUrls', (entries) => entries.filter(isOk)),
  }),
  mutant(
    'ST-LINKS-FILE-ID',
    'the entry for a missing file has an empty fileID',
    links(isBad, { fileID: '' }),
  ),
  ...mutantsOf('ST-LINKS-CODE', {
    'the code for a file without an extension is OK': links(hasNoExtension, { code: 'OK' }),
    'the entry for a missing file has no code': links(isBad, { code: undefined }),
  }),
  mutant(
    'ST-LINKS-URL',
    'the entry for a missing file has no tempFileURL',
    links(isBad, { tempFileURL: undefined }),
  ),
  mutant(
    'ST-LINKS-DOWNLOAD',
    'a link works only once',
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
    ['UP-BROKEN', 'ST-LINKS-EXPIRE'],
  ),
  mutant('ST-LINKS-DOWNLOAD', 'a link to a large file needs credentials', {
    response(response, { isDownload, headers }) {
      const isKnown = headers.get('X-Svc-Authorization') !== undefined;
      if (!isDownload || isKnown || response.body.length < 50_000) return;
      response.status = 401;
      response.body = Buffer.from('Who are you?');
    },
  }),
  ...mutantsOf('ST-LINKS-EXPIRE', {
    'a link works for at least an hour': items('batchGetTempUrls', (item) => {
      if (item.maxAge > 0) item.maxAge = Math.max(item.maxAge, 3600);
    }),
    'every link with a maxAge works for only two seconds': items('batchGetTempUrls', (item) => {
      if (item.maxAge > 2) item.maxAge = 2;
    }),
  }),
  mutant(
    'ST-LINKS-MISSING',
    'a deleted file has the code SUCCESS and a broken link',
    ({ publicUrl }) => {
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
  ),
  ...mutantsOf('ST-LINKS-ALONE', {
    'a missing file in the last item causes the call to be rejected': refuseAfter(
      'batchGetTempUrls',
      (entries) => entries.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(entries[0]),
    ),
    'items after a missing file get no links': list('batchGetTempUrls', (entries) => {
      const first = entries.findIndex(isBad);
      const rest = first < 0 ? [] : entries.slice(first);
      for (const entry of rest) Object.assign(entry, { code: 'ABORTED', tempFileURL: '' });
    }),
  }),
];
