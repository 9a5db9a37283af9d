import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { linksWorkOnce, toPath, watching } from './support/history.ts';
import {
  isBad,
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
} from './support/storage.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

const refuseLinks = (isRefused: (items: Json[]) => unknown) =>
  refuse((call) => call.operation === LINKS && isRefused(itemsOf(call)));

const failed = (code: string) => ({ code, tempFileURL: '' });

export const storageLinks: Rows = {
  'ST-LINKS-CALL: a link to a file without an extension has no host': links(hasNoExtension, {
    tempFileURL: (url) => new URL(url).pathname,
  }),
  'ST-LINKS-MAX-AGE: the second item with a maxAge gets no link': leaveOut(
    LINKS,
    ({ fileID, maxAge }, index) =>
      index > 0 && fileID && maxAge !== undefined
        ? { fileID, ...failed('INVALID_PARAM') }
        : undefined,
  ),
  'ST-LINKS-MAX-AGE: it is required': refuseLinks((all) =>
    all.some(({ maxAge }) => maxAge === undefined),
  ),
  'ST-LINKS-CALL: from the sixth item on, existing files are missing': links(
    (_, __, index) => index > 4,
    failed('MISSING'),
  ),
  'ST-RESPONSE: the entry for a missing file has no tempFileURL': links(isBad, {
    tempFileURL: undefined,
  }),
  'ST-LINKS-DOWNLOAD: a link works only once': linksWorkOnce,
  'ST-LINKS-DOWNLOAD: from the fourth item on, each link is that of the item before': list(
    LINKS,
    (all) => {
      const given = all.map(({ tempFileURL }) => tempFileURL);
      for (const [index, entry] of all.entries())
        if (index > 2 && isOk(entry) && given[index - 1]) entry.tempFileURL = given[index - 1];
    },
  ),
  'ST-LINKS-EXPIRE: a link works for at least an hour': items(LINKS, {
    maxAge: (age) => age && Math.max(age, 3600),
  }),
  'ST-LINKS-EXPIRE: the lifetime of the last item in a call applies to all items': request(
    LINKS,
    (call) => {
      const { maxAge } = itemsOf(call).at(-1) ?? {};
      if (maxAge === undefined) return;
      const fileList = itemsOf(call).map((item) => ({ ...item, maxAge }));
      call.json = { ...call.json, fileList };
    },
  ),
  'ST-LINKS-MISSING: a deleted file has the code SUCCESS and a broken link': watching(
    ({ publicUrl }) => {
      const deleted = new Set<string>();
      return {
        ...links((entry) => isBad(entry) && deleted.has(toPath(entry.fileID)), {
          code: 'SUCCESS',
          tempFileURL: `${publicUrl}/files/nowhere`,
        }),
        deleted: (path) => deleted.add(path),
      };
    },
  ),
  'ST-LINKS-MISSING: a missing file gets a link if a file with a longer name exists': watching(
    ({ files, publicUrl }) => {
      const isBeginning = (path: string) =>
        path !== '' && [...files.keys()].some((one) => one !== path && one.startsWith(path));
      return links((entry) => isBad(entry) && isBeginning(toPath(entry.fileID)), {
        code: 'SUCCESS',
        tempFileURL: `${publicUrl}/x`,
      });
    },
  ),
  'ST-LINKS-ALONE: a missing file in the last item causes the call to be rejected': refuseAfter(
    LINKS,
    (entries) => entries.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(entries[0]),
  ),
  'ST-LINKS-ALONE: items after a missing file get no links': list(LINKS, (entries) => {
    const first = entries.findIndex(isBad);
    const rest = first < 0 ? [] : entries.slice(first);
    for (const entry of rest) Object.assign(entry, failed('ABORTED'));
  }),
};
