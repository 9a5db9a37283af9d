import { type Hooks, type Json, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { isOk, itemsOf, LINKS, request } from './support/storage.ts';

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
    'each use extends the lifetime': decides(
      ({ maxAge, lastUse }) => maxAge === undefined || since(lastUse, maxAge),
    ),
  },
};
