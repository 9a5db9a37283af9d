import { type Json, MutatedResponse } from '../proxy/messages.ts';
import {
  any,
  DELETE,
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
import type { Mutant, Rows } from './mutant.ts';

const hasNoExtension = (entry: Json) => isOk(entry) && /\/[^./]+$/.test(entry.fileID);

const failed = (code: string) => ({ code, tempFileURL: '' });

/** Deletes another file along with each file that is deleted. */
const deletesToo =
  (toOther: (path: string) => string): Mutant['create'] =>
  ({ remove }) => ({
    async response({ status }, call) {
      if (call.operation !== DELETE || status !== 200) return;
      for (const fileID of itemsOf(call)) {
        const path = fileID.replace(/^.*?(?=berth-)/, '');
        await remove(toOther(path));
      }
    },
  });

export const storageLinks: Rows = {
  'ST-LINKS-CALL: a link has no host': entries(LINKS, hasNoExtension, (entry) => {
    entry.tempFileURL = new URL(entry.tempFileURL).pathname;
  }),
  'ST-LINKS-CALL: item six is missing': entries(LINKS, (_, index) => index > 4, failed('MISSING')),
  'ST-LINKS-MAX-AGE: the second item fails': leaveOut(LINKS, ({ fileID, maxAge }, index) =>
    index > 0 && fileID && maxAge !== undefined
      ? { fileID, ...failed('INVALID_PARAM') }
      : undefined,
  ),
  'ST-LINKS-MAX-AGE: maxAge is required': refuse(
    (call) => call.operation === LINKS && itemsOf(call).some((item) => item.maxAge === undefined),
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
  'ST-LINKS-DOWNLOAD: the fourth link is the third': list(LINKS, (all) => {
    const urls = all.map(({ tempFileURL }) => tempFileURL);
    for (const [index, entry] of all.entries())
      if (index > 2 && isOk(entry) && urls[index - 1]) entry.tempFileURL = urls[index - 1];
  }),
  'ST-LINKS-EXPIRE: a link works for at least an hour': items(LINKS, (item) => {
    if (item.maxAge) item.maxAge = Math.max(item.maxAge, 3600);
  }),
  'ST-LINKS-EXPIRE: all items have the first maxAge': items(LINKS, (item, _, first) => {
    item.maxAge = first.maxAge;
  }),
  'ST-LINKS-MISSING: the link is broken': ({ publicUrl }) =>
    entries(LINKS, isBad, { code: 'SUCCESS', tempFileURL: `${publicUrl}/nowhere` }),
  'ST-LINKS-MISSING: a deleted file keeps its link': () => {
    const known = new Map<string, Json>();
    return list(LINKS, (all) =>
      all.map((entry) => {
        if (isOk(entry)) known.set(entry.fileID, entry);
        return known.get(entry.fileID) ?? entry;
      }),
    );
  },
  'ST-LINKS-ALONE: a missing file rejects the call': refuseAfter(
    LINKS,
    (all) => all.at(-1)?.code === 'STORAGE_FILE_NONEXIST' && isOk(all[0]),
  ),
  'ST-LINKS-ALONE: items after a missing file get no links': list(LINKS, (all) => {
    const first = all.findIndex(isBad);
    const rest = first < 0 ? [] : all.slice(first);
    for (const entry of rest) Object.assign(entry, failed('ABORTED'));
  }),
  'ST-DELETE-CALL: the third file is kept': leaveOut(DELETE, (fileID, index) =>
    index === 2 ? { fileID, code: 'SUCCESS' } : undefined,
  ),
  'ST-DELETE-CALL: the code in a list is DELETED': list(DELETE, (all) => {
    const deleted = all.length === 1 ? [] : all.filter(isOk);
    for (const entry of deleted) entry.code = 'DELETED';
  }),
  'ST-DELETE-ONLY: a longer name is deleted, too': deletesToo((path) => `${path}.txt`),
  'ST-DELETE-ONLY: case is ignored': deletesToo((path) =>
    path.replace(/[^/]+$/, (name) => name.toUpperCase()),
  ),
  'ST-DELETE-MISSING: every code is SUCCESS': entries(DELETE, any, { code: 'SUCCESS' }),
  'ST-DELETE-MISSING: one success is enough': list(DELETE, (all) => {
    for (const entry of all.some(isOk) ? all : []) entry.code = 'SUCCESS';
  }),
  'ST-DELETE-ALONE: a missing file rejects the call': refuseAfter(
    DELETE,
    ([first, ...rest]) => first?.code === 'STORAGE_FILE_NONEXIST' && rest.some(isOk),
  ),
  'ST-DELETE-ALONE: a missing file ends the call': ({ readId }) => {
    let isOver = false;
    return leaveOut(DELETE, async (fileID, index) => {
      const isAfter = index > 0 && isOver;
      isOver = isAfter || (await readId(fileID)) === undefined;
      return isAfter ? { fileID, code: 'ABORTED' } : undefined;
    });
  },
};
