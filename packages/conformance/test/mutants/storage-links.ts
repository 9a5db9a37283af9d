import { type Json, MutatedResponse } from '../proxy/messages.ts';
import {
  entries,
  isBad,
  isOk,
  items,
  itemsOf,
  LINKS,
  leaveOut,
  list,
  refuse,
  refuseAfter,
} from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

const failed = (code: string) => ({ code, tempFileURL: '' });

export const storageLinks: Rows = {
  'ST-LINKS-CALL: a link to a file without an extension has no host': entries(
    LINKS,
    hasNoExtension,
    (entry) => {
      entry.tempFileURL = new URL(entry.tempFileURL).pathname;
    },
  ),
  'ST-LINKS-MAX-AGE: the second item with a maxAge gets no link': leaveOut(
    LINKS,
    ({ fileID, maxAge }, index) =>
      index > 0 && fileID && maxAge !== undefined
        ? { fileID, ...failed('INVALID_PARAM') }
        : undefined,
  ),
  'ST-LINKS-MAX-AGE: it is required': refuse(
    (call) => call.operation === LINKS && itemsOf(call).some((item) => item.maxAge === undefined),
  ),
  'ST-LINKS-CALL: from the sixth item on, existing files are missing': entries(
    LINKS,
    (_, index) => index > 4,
    failed('MISSING'),
  ),
  'ST-LINKS-DOWNLOAD: a link works only once': () => {
    const used = new Set<string>();
    return {
      request({ isDownload, target }) {
        const isUsed = used.has(target);
        used.add(target);
        return isDownload && isUsed ? new MutatedResponse(403) : undefined;
      },
    };
  },
  'ST-LINKS-DOWNLOAD: from the fourth item on, each link is that of the item before': list(
    LINKS,
    (all) => {
      const given = all.map(({ tempFileURL }) => tempFileURL);
      for (const [index, entry] of all.entries())
        if (index > 2 && isOk(entry) && given[index - 1]) entry.tempFileURL = given[index - 1];
    },
  ),
  'ST-LINKS-EXPIRE: a link works for at least an hour': items(LINKS, (item) => {
    if (item.maxAge) item.maxAge = Math.max(item.maxAge, 3600);
  }),
  'ST-LINKS-EXPIRE: the lifetime of the first item in a call applies to all items': items(
    LINKS,
    (item, _, first) => {
      item.maxAge = first.maxAge;
    },
  ),
  'ST-LINKS-MISSING: a missing file has the code SUCCESS and a broken link': ({ publicUrl }) =>
    entries(LINKS, isBad, { code: 'SUCCESS', tempFileURL: `${publicUrl}/nowhere` }),
  'ST-LINKS-MISSING: a deleted file keeps the code SUCCESS and its link': () => {
    const known = new Map<string, Json>();
    return list(LINKS, (all) =>
      all.map((entry) => {
        if (isOk(entry)) known.set(entry.fileID, entry);
        return known.get(entry.fileID) ?? entry;
      }),
    );
  },
  'ST-LINKS-ALONE: a missing file in the last item causes the call to be rejected': refuseAfter(
    LINKS,
    (all) => all.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(all[0]),
  ),
  'ST-LINKS-ALONE: items after a missing file get no links': list(LINKS, (all) => {
    const first = all.findIndex(isBad);
    const rest = first < 0 ? [] : all.slice(first);
    for (const entry of rest) Object.assign(entry, failed('ABORTED'));
  }),
};
