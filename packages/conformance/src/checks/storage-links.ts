import { setTimeout as wait } from 'node:timers/promises';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { StoredFile } from '../context/upload-client.ts';
import { show } from '../validation/cite.ts';
import {
  entriesOf,
  expectAccepted,
  linkOf,
  missingFileId,
  needsFiles,
  storeAll,
} from './stored-files.ts';

const toItems = (files: readonly StoredFile[]) => files.map(({ fileId }) => ({ fileID: fileId }));

export const storageLinks: readonly Check[] = [
  defineCheck('ST-LINKS-CALL', needsFiles, async (t) => {
    const files = await storeAll(t, 'a.txt', 'level/b.txt', 'no-extension');
    const items = toItems(files);
    for (const fileList of [items.slice(0, 1), [...items, ...items]]) {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      expectAccepted(t, reply, `batchGetTempUrls of ${fileList.length} items`);
      for (const { code } of reply.entries ?? []) {
        const message = `the code of an existing file must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', message, reply);
      }
    }
  }),
  defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t) => {
    const [a, b] = toItems(await storeAll(t, 'a.txt', 'b.txt'));
    const getLinks = async (...fileList: unknown[]) => {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const linked = (reply.entries ?? []).filter((entry) => linkOf(entry) !== undefined);
      return { reply, areLinked: linked.length === fileList.length };
    };
    const without = await getLinks(a, b);
    t.expect(without.areLinked, 'items without maxAge must get their links', without.reply);
    for (const seconds of LIFETIMES) {
      const maxAge = t.storage.maxAge(seconds);
      const alone = await getLinks({ ...a, maxAge });
      if (!alone.areLinked) continue;
      const second = await getLinks(a, { ...b, maxAge });
      const message = `an item with maxAge ${maxAge} gets its link, so it must get one as the second item of a call`;
      return t.expect(second.areLinked, message, second.reply);
    }
    t.expect(false, `an item with maxAge must get its link; tried: ${LIFETIMES.join(', ')} s`);
  }),
  defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: CheckContext) => {
    const files = await storeAll(
      t,
      ['text.txt', 'The content\r\nof the file.\n'],
      ['level/empty.bin', ''],
      // Just over 1 MiB, a common size of buffers.
      [
        'large.bin',
        Buffer.alloc(1_048_577, Buffer.from(Array.from({ length: 251 }, (_, at) => at))),
      ],
      'fourth.txt',
    );
    const entries = await t.storage.list('batchGetTempUrls', toItems(files));
    // Another link must not replace the first one.
    await t.storage.list('batchGetTempUrls', toItems(files));
    let checked = 0;
    for (const [what, list] of Object.entries({ first: files, second: files.slice(0, 1) })) {
      for (const { path, fileId, bytes } of list) {
        const link = linkOf(entriesOf(entries, fileId)[0]);
        if (link === undefined) continue;
        checked += 1;
        const exchange = await t.upload.download(link);
        const { status, body } = exchange.received;
        const actual = `but the response was ${status} with ${body.length} bytes`;
        const message = `the ${what} GET of the link to ${path} must return the ${bytes.length} bytes of the file, ${actual}`;
        t.expect(status >= 200 && status <= 299 && body.equals(bytes), message, exchange);
      }
    }
    t.reach(checked > 0, 'batchGetTempUrls returned no link');
  }),
  defineCheck('ST-LINKS-EXPIRE', needsFiles, expectLinksExpire, { waits: true }),
  defineCheck('ST-LINKS-MISSING', needsFiles, async (t) => {
    const [file] = await storeAll(t, 'deleted.txt');
    const beginning = await t.upload.fileIdOf(t.storage.path('deleted'));
    const ids = [await missingFileId(t), beginning, file.fileId];
    const expectLinked = async (expected: number, what: string, ...list: string[]) => {
      const items = list.map((fileID) => ({ fileID }));
      const { reply, entries } = await t.storage.listReply('batchGetTempUrls', items);
      const count = entries.filter(({ code }) => code === 'SUCCESS').length;
      const message = `${what}: at most ${expected} entries may have the code SUCCESS, but ${count} do`;
      t.expect(count <= expected, message, reply);
    };
    await expectLinked(1, 'a file, one that was never stored, and the beginning of a path', ...ids);
    await t.storage.list('batchDelete', [file.fileId]);
    await expectLinked(0, 'a file that was deleted', file.fileId);
  }),
  defineCheck('ST-LINKS-ALONE', needsFiles, async (t) => {
    const files = await storeAll(t, 'a.txt', 'b.txt');
    const [a, b] = toItems(files);
    const missing = { fileID: await missingFileId(t) };
    const invalid = { fileID: 'no file has this name' };
    for (const fileList of [
      [missing, a, b],
      [a, invalid, b, missing],
    ]) {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      expectAccepted(t, reply, 'a call with missing files');
      for (const { fileId, path } of reply.refused ? [] : files) {
        const [entry] = entriesOf(reply.entries ?? [], fileId);
        const message = `${path} must get its link next to missing files, but its entry was ${show(entry)}`;
        t.expect(linkOf(entry) !== undefined, message, reply);
      }
    }
  }),
];

/** Lifetimes to try, in seconds: each deployment decides which ones it accepts (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];
/** Those to try first if the check waits for the link to expire. */
const SHORT = [2, 5, 15, 60];
const LONG = 120;
/** How much longer than its `maxAge` a link may work, in seconds. */
const GRACE = 10;
/** How much a lifetime may differ because a clock counts whole seconds, in seconds. */
const TICK = 1;
const SECONDS = { ms: 0.001, s: 1, min: 60 };

async function expectLinksExpire(t: CheckContext): Promise<void> {
  const { minLinkSeconds, maxAgeUnit } = t.settings;
  const files = await storeAll(t, 'long.txt', 'short.txt', 'unused.txt', 'minimum.txt');
  for (const seconds of SHORT) {
    const ages = [LONG, seconds, seconds, minLinkSeconds].map((age) => t.storage.maxAge(age));
    const fileList = files.map(({ fileId }, index) => ({ fileID: fileId, maxAge: ages[index] }));
    const requested = performance.now();
    const { entries = [] } = await t.storage.call('batchGetTempUrls', { fileList });
    const responded = performance.now();
    const [long, short, unused, minimum] = files.map(({ path, fileId, bytes }, index): Link => {
      const maxAge = ages[index] ?? 0;
      const url = linkOf(entriesOf(entries, fileId)[0]);
      const lifetime = maxAge * SECONDS[maxAgeUnit];
      return { url, path, bytes, maxAge, lifetime, requested, responded };
    }) as [Link, Link, Link, Link];
    if (short.url === undefined) continue;
    // Another link to the same file must not prolong this one.
    const later = [{ fileID: files[1].fileId, maxAge: ages[0] }];
    await t.storage.call('batchGetTempUrls', { fileList: later });
    await expectAlive(t, short);
    await expectEnd(t, short, minimum);
    await expectEnd(t, unused, minimum);
    await expectAlive(t, long);
    return;
  }
  t.apply(false, `the deployment issues no links for a maxAge of ${SHORT.join(' or ')} s`);
}

interface Link {
  /** Absent if the deployment does not issue a link with this lifetime. */
  url: string | undefined;
  path: string;
  bytes: Buffer;
  maxAge: number;
  /** In seconds. */
  lifetime: number;
  /** When it was requested, and when the response was complete: its lifetime begins between them. */
  requested: number;
  responded: number;
}

async function expectAlive(t: CheckContext, link: Link): Promise<void> {
  const isAlive = await works(t, link);
  const age = (performance.now() - link.requested) / 1000;
  // A response that arrives too late proves nothing.
  if (link.url === undefined || age > link.lifetime - TICK) return;
  const message = `a link with maxAge ${link.maxAge} must still work after ${age.toFixed(1)} s, but it does not`;
  t.expect(isAlive, message);
}

/**
 * Expects a link to stop working after its lifetime. It may work longer if the deployment grants no shorter lifetime
 * than `minimum`; then both end together.
 */
async function expectEnd(t: CheckContext, link: Link, minimum: Link): Promise<void> {
  if (link.url === undefined) return;
  let isEnded = await ends(t, link, link.lifetime);
  if (!isEnded && link.lifetime < minimum.lifetime && minimum.url !== undefined) {
    const limit = minimum.lifetime;
    isEnded = (await ends(t, link, limit)) && (await ends(t, minimum, limit));
    t.note(`A link with maxAge ${link.maxAge} works longer than that.`);
  }
  const age = ((performance.now() - link.requested) / 1000).toFixed(1);
  const message = `the link to ${link.path}, with maxAge ${link.maxAge}, must stop working, but it still works after ${age} s`;
  t.expect(isEnded, message);
}

/** Returns whether a link stops working at most slightly more than this many seconds after it was issued. */
async function ends(t: CheckContext, link: Link, seconds: number): Promise<boolean> {
  const toAge = () => (performance.now() - link.responded) / 1000;
  const pause = (duration: number) => wait(duration * 1000, undefined, { signal: t.signal });
  await pause(Math.max(0, link.lifetime - toAge()));
  while (await works(t, link)) {
    if (toAge() > seconds + GRACE) return false;
    await pause(seconds < 60 ? 0.25 : 1);
  }
  return true;
}

async function works(t: CheckContext, { url, bytes }: Link): Promise<boolean> {
  if (url === undefined) return false;
  const { status, body } = (await t.upload.download(url)).received;
  return status >= 200 && status <= 299 && body.equals(bytes);
}
