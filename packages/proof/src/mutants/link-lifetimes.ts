import { type Hooks, type Json, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { isOk, items, itemsOf, LINKS, request } from './support/storage.ts';

const HOUR = 3600;
const gone = () => new MutatedResponse(403, { 'Content-Type': 'text/plain' }, 'expired');

interface Issued {
  target: string;
  fileID: string;
  /** As requested, in seconds. */
  maxAge: number | undefined;
  /** In milliseconds since the epoch. */
  at: number;
  uses: number;
  lastUse: number;
  firstUse: number;
}

/**
 * Issues long-lived links, and decides itself whether a link still works.
 *
 * @param isAlive receives the link, and all links so far
 */
const decides =
  (isAlive: (link: Issued, all: readonly Issued[]) => boolean): Mutant['create'] =>
  () => {
    const issued: Issued[] = [];
    const asked = new WeakMap<object, Json[]>();
    return {
      request(call) {
        if (call.operation === LINKS) {
          asked.set(call, structuredClone(itemsOf(call)));
          const { json } = call;
          const list = json?.data?.fileList ?? json?.fileList;
          if (!Array.isArray(list) || itemsOf(call).length === 0) return undefined;
          for (const item of list) if (item.maxAge !== undefined) item.maxAge = HOUR;
          call.json = json;
          return undefined;
        }
        const link = call.isDownload
          ? issued.find(({ target }) => target === call.target)
          : undefined;
        if (!link) return undefined;
        const now = Date.now();
        if (link.uses === 0) link.firstUse = now;
        const works = isAlive(link, issued);
        link.uses += 1;
        link.lastUse = now;
        return works ? undefined : gone();
      },
      response(response, call) {
        const given = asked.get(call);
        const entries = response.json?.body?.data?.fileList;
        if (!given || !Array.isArray(entries)) return;
        for (const [index, entry] of entries.entries()) {
          if (!isOk(entry)) continue;
          const { pathname, search } = new URL(entry.tempFileURL);
          const { fileID } = entry;
          const maxAge = given[index]?.maxAge;
          const now = Date.now();
          issued.push({
            ...{ target: pathname + search, fileID, maxAge, at: now },
            ...{ uses: 0, firstUse: now, lastUse: now },
          });
        }
      },
    };
  };
const since = (at: number, maxAge = 600) => Date.now() - at < maxAge * 1000;

/** Changes the lifetimes in a call for links. */
const ages = (change: (all: (number | undefined)[]) => (number | undefined)[]): Hooks =>
  request(LINKS, (call) => {
    const list = itemsOf(call);
    const given = list.map(({ maxAge }) => maxAge);
    if (list.length === 0 || given.every((age) => age === undefined)) return;
    const changed = change(given);
    const fileList = list.map(({ maxAge: _, ...item }, index) => {
      const maxAge = changed[index];
      return maxAge === undefined ? item : { ...item, maxAge };
    });
    call.json = { ...call.json, fileList };
  });
const numbers = (all: (number | undefined)[]) => all.filter((age) => age !== undefined);

/** Mutants whose links live for the wrong time (source: "Validity period of the file link"; D30). */
export const linkLifetimes: Rows = {
  'ST-LINKS-EXPIRE': {
    'the longest lifetime in a call applies to all items': ages((all) => {
      const longest = Math.max(...numbers(all));
      return all.map((age) => age && longest);
    }),
    'the lifetime of the first item applies to all': ages((all) => all.map(() => all[0])),
    'the lifetime of the last item applies to all': ages((all) => all.map(() => all.at(-1))),
    'only the lifetime of the first item counts': ages((all) => [
      all[0],
      ...all.slice(1).map(() => undefined),
    ]),
    'the shortest lifetime in a call applies to all items': ages((all) => {
      const shortest = Math.min(...numbers(all));
      return all.map((age) => age && shortest);
    }),
    'an item without maxAge makes the call use the default': ages((all) =>
      all.some((age) => age === undefined) ? all.map(() => undefined) : all,
    ),
    'a lifetime begins with the first use': decides(
      ({ maxAge, firstUse }) => maxAge === undefined || since(firstUse, maxAge),
    ),
    'each use extends the lifetime': decides(
      ({ maxAge, lastUse }) => maxAge === undefined || since(lastUse, maxAge),
    ),
    'a link that was never used does not expire': decides(
      ({ maxAge, at, uses }) => uses === 0 || since(at, maxAge),
    ),
    'a link lives for half of its lifetime': items(LINKS, (item) => {
      if (item.maxAge > 1) item.maxAge = Math.floor(item.maxAge / 2);
    }),
    'a lifetime is rounded down to minutes, at least two seconds': items(LINKS, (item) => {
      if (item.maxAge) item.maxAge = Math.max(2, Math.floor(item.maxAge / 60) * 60);
    }),
    'an expired link works again after a new one was issued': decides(
      (link, all) =>
        since(link.at, link.maxAge) ||
        all.some(
          ({ fileID, at, maxAge }) => fileID === link.fileID && at > link.at && since(at, maxAge),
        ),
    ),
    'a lifetime inside data is ignored': request(LINKS, (call) => {
      const { json } = call;
      const list = json?.data?.fileList;
      if (!Array.isArray(list)) return;
      for (const item of list) if (typeof item?.maxAge === 'number') item.maxAge = HOUR;
      call.json = json;
    }),
    'links to a file all live as long as the longest': decides(({ fileID }, all) =>
      all.some((other) => other.fileID === fileID && since(other.at, other.maxAge)),
    ),
    'a lifetime counts as milliseconds': decides(
      ({ at, maxAge }) => maxAge === undefined || Date.now() - at < maxAge,
    ),
    'a lifetime of less than a minute is rounded down to none': decides(
      ({ maxAge }) => maxAge === undefined || maxAge >= 60,
    ),
  },
  'ST-LINKS-DOWNLOAD': {
    'a link of a call for several files works only once': () => {
      const once = new Map<string, number>();
      return {
        request(call) {
          const uses = call.isDownload ? once.get(call.target) : undefined;
          if (uses === undefined) return undefined;
          once.set(call.target, uses + 1);
          return uses > 0 ? gone() : undefined;
        },
        response(response, { operation }) {
          const all = response.json?.body?.data?.fileList;
          if (operation !== LINKS || !Array.isArray(all) || all.length < 2) return;
          for (const { tempFileURL } of all.filter(isOk)) {
            const { pathname, search } = new URL(tempFileURL);
            once.set(pathname + search, 0);
          }
        },
      };
    },
  },
};
