import type { CheckContext } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import type { StoredFile } from '../context/upload-client.ts';
import { NetworkFault } from '../http/health.ts';
import { type Check, defineCheck } from './check.ts';
import { poll } from './support/poll.ts';
import { entriesOf, expectLists, missingFileId, needsFiles, show } from './support/storage.ts';

/** One item of a links call. */
interface LinkOrder {
  fileID: string;
  maxAge?: number;
}

/** A links call, and its entries; without a list of objects the check is not reached. */
async function askForLinks(
  t: CheckContext,
  fileList: readonly LinkOrder[],
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  const reply = await t.storage.call('batchGetTempUrls', { fileList });
  const entries = reply.data?.fileList;
  const isList = Array.isArray(entries) && entries.length === fileList.length;
  const came = `batchGetTempUrls answered ${reply.received.status}`;
  t.reach(isList, `${came} without an entry for each of the ${fileList.length} items`);
  return { reply, entries: entries.map(Object) };
}

/** Stores small files and returns an item for each. */
async function storeForLinks(
  t: CheckContext,
  ...names: string[]
): Promise<{ files: StoredFile[]; orders: LinkOrder[] }> {
  const files: StoredFile[] = [];
  for (const name of names) files.push(await t.upload.store(name));
  return { files, orders: files.map(({ fileId }) => ({ fileID: fileId })) };
}

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('What a link\r\nmust return.\n') },
  { name: 'level/empty.bin', bytes: Buffer.alloc(0) },
  { name: 'large.bin', bytes: Buffer.from(Array.from({ length: 65_537 }, (_, at) => at % 251)) },
];

async function expectFile(
  t: CheckContext,
  what: string,
  link: string,
  bytes: Buffer,
): Promise<void> {
  const exchange = await t.upload.download(link);
  const { status, body } = exchange.received;
  const isSuccess = status >= 200 && status <= 299;
  t.expect(isSuccess, `${what}: it must return the file, not ${status}`, exchange);
  if (!isSuccess) return;
  const wanted = `${what}: it must return the ${bytes.length} bytes of the file`;
  t.expect(body.equals(bytes), `${wanted}, not ${body.length} or other ones`, exchange);
}

/** Lifetimes that are tried, in seconds, the shortest first: which ones a deployment takes is its own (D22). */
const SHORT = [2, 5, 15, 60];

const LONG = 120;

/** The longest that a deployment may give instead of less, in seconds. */
const LEAST = 60;

/** How much later than its `maxAge` a link may stop, in seconds. */
const GRACE = 10;

const SECONDS = { ms: 0.001, s: 1, min: 60 };

/**
 * Whether a link works for longer than it should because the deployment gives none for less than a minute:
 * then it ends after a minute, and so does one that is asked for a minute.
 */
async function isOfMinimum(
  t: CheckContext,
  link: Link,
  { fileId, bytes }: StoredFile,
): Promise<boolean> {
  if (link.lifetime >= LEAST) return false;
  const least = await askForLink(t, fileId, LEAST);
  if (least === undefined || (await outlives(t, link, bytes, LEAST))) return false;
  if (await outlives(t, least, bytes, least.lifetime)) return false;
  t.note(`A link with maxAge ${link.maxAge} works as long as one with ${least.maxAge}.`);
  return true;
}

interface Link {
  url: string;
  maxAge: number;
  /** In seconds. */
  lifetime: number;
  asked: number;
}

async function askForLink(
  t: CheckContext,
  fileID: string,
  seconds: number,
): Promise<Link | undefined> {
  const maxAge = t.storage.maxAge(seconds);
  const asked = performance.now();
  const reply = await t.storage.call('batchGetTempUrls', { fileList: [{ fileID, maxAge }] });
  const { code, tempFileURL: url } = Object(Object(reply.data?.fileList)[0]);
  if (code !== 'SUCCESS' || !URL.canParse(String(url))) return undefined;
  return { url, maxAge, lifetime: maxAge * SECONDS[t.settings.maxAgeUnit], asked };
}

/** Whether a link still works when it has had so many seconds, and some more. */
function outlives(t: CheckContext, link: Link, bytes: Buffer, seconds: number): Promise<boolean> {
  const left = (seconds + GRACE) * 1000 - (performance.now() - link.asked);
  return poll(
    () => works(t, link, bytes),
    (isAlive) => !isAlive,
    { most: left, every: seconds < LEAST ? 250 : 1000 },
  );
}

function spellAge(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Whether a link returns the file. */
async function works(t: CheckContext, { url }: Link, bytes: Buffer): Promise<boolean> {
  const { received } = await t.upload.download(url);
  return received.status >= 200 && received.status <= 299 && received.body.equals(bytes);
}

/** Lifetimes that are tried, in seconds: which ones a deployment takes is its own (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];

async function judge(
  t: CheckContext,
  what: string,
  fileID: string,
  present?: string,
): Promise<void> {
  for (const others of [[], present === undefined ? [] : [present]]) {
    const fileList = [{ fileID }, ...others.map((id) => ({ fileID: id }))];
    const { reply, entries } = await askForLinks(t, fileList);
    const count = entries.filter(({ code }) => code === 'SUCCESS').length;
    if (count <= others.length) {
      t.expect(true, what);
      continue;
    }
    const wrong = entries.find((entry) => entry.fileID === fileID) ?? entries[0];
    // Where the link returns a file, it is not missing: that it was not deleted is another rule.
    const link = String(wrong?.tempFileURL);
    const isThere = URL.canParse(link) && (await isFile(t, link));
    t.reach(!isThere, `${what} is still there`);
    t.expect(false, `${what}: the code of its entry must not be SUCCESS`, reply);
  }
}

/** A link to an address that does not answer leads to no file. */
async function isFile(t: CheckContext, link: string): Promise<boolean> {
  try {
    const { status } = (await t.upload.download(link)).received;
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof NetworkFault) return false;
    throw error;
  }
}

export const storageLinks: readonly Check[] = [
  defineCheck('ST-LINKS-CALL', needsFiles, async (t) => {
    const { orders } = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    for (const fileList of [orders.slice(0, 1), orders]) {
      const what = `batchGetTempUrls of ${fileList.length} files`;
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const { status } = reply.received;
      t.expect(!reply.refused, `${what} must return links, not a refusal with ${status}`, reply);
      const entries = reply.data?.fileList;
      for (const entry of Array.isArray(entries) ? entries.map(Object) : []) {
        const { code, tempFileURL } = entry;
        // Other codes, and links that are no strings, are the subjects of other rules.
        if (code !== 'SUCCESS' || typeof tempFileURL !== 'string') continue;
        const isLink = /^https?:\/\/[^/?#]/i.test(tempFileURL) && URL.canParse(tempFileURL);
        t.expect(
          isLink,
          `${what}: a link must be an absolute URL, not ${show(tempFileURL)}`,
          reply,
        );
      }
    }
  }),
  defineCheck('ST-LINKS-ITEM-FILE-ID', needsFiles, async (t: CheckContext) => {
    const { orders } = await storeForLinks(t, 'file.txt');
    const [good] = orders;
    const sound = await t.storage.call('batchGetTempUrls', { fileList: [good] });
    t.reach(!sound.refused, 'a call with a fileID in its item is refused');
    const maxAge = t.storage.maxAge(60);
    const cases = [
      { what: 'an empty item', fileList: [{}] },
      { what: 'an item with maxAge alone', fileList: [{ maxAge }] },
      { what: 'a good item and then one without fileID', fileList: [good, { maxAge }] },
      { what: 'an item without fileID and then a good one', fileList: [{}, good] },
    ];
    for (const { what, fileList } of cases) {
      const reply = await t.storage.call(
        'batchGetTempUrls',
        { fileList },
        { acceptsRefusal: true },
      );
      const { status } = reply.received;
      const isRefused = reply.refused && status < 500;
      t.expect(isRefused, `${what}: the call must be refused, not answered with ${status}`, reply);
    }
  }),
  defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t: CheckContext) => {
    const { orders } = await storeForLinks(t, 'file.txt', 'other.txt');
    const [one = { fileID: '' }, other = { fileID: '' }] = orders;
    const ask = async (...fileList: LinkOrder[]) => {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const entries: unknown[] = [reply.data?.fileList ?? []].flat();
      const linked = entries.map(Object).filter(({ code }) => code === 'SUCCESS').length;
      return { reply, works: linked === fileList.length };
    };
    const without = await ask(one);
    let maxAge = 0;
    let alone = without;
    for (const seconds of LIFETIMES) {
      maxAge = t.storage.maxAge(seconds);
      alone = await ask({ ...one, maxAge });
      if (alone.works) break;
    }
    // Where neither gets a link, or two items never do, the fault is not here.
    t.reach(without.works || alone.works, 'batchGetTempUrls gives no link at all');
    t.expect(without.works, 'an item without maxAge must get its link', without.reply);
    t.expect(alone.works, `an item with maxAge ${maxAge} must get its link`, alone.reply);
    if (!(await ask(one, other)).works) return;
    const cases = [
      { what: 'in the first item', fileList: [{ ...one, maxAge }, other] },
      { what: 'in the second item', fileList: [one, { ...other, maxAge }] },
    ];
    for (const { what, fileList } of cases) {
      const { reply, works } = await ask(...fileList);
      t.expect(works, `maxAge ${maxAge} ${what} of two: both must get their links`, reply);
    }
  }),
  defineCheck('ST-LINKS-LIST', needsFiles, async (t: CheckContext) => {
    const { orders } = await storeForLinks(t, 'a.txt', 'b.txt');
    const [a, b] = orders;
    const missing = { fileID: await missingFileId(t) };
    const cases = [
      { what: 'one file', fileList: [a] },
      { what: 'two files', fileList: [a, b] },
      { what: 'two files and a missing one', fileList: [a, missing, b] },
      { what: 'a missing file', fileList: [missing] },
      { what: 'one file twice', fileList: [a, a] },
    ];
    await expectLists(t, 'batchGetTempUrls', cases);
  }),
  defineCheck('ST-LINKS-FILE-ID', needsFiles, async (t) => {
    const { orders } = await storeForLinks(t, 'A.txt', 'level/b.TXT');
    const missing = { fileID: await missingFileId(t) };
    for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
      const { reply, entries } = await askForLinks(t, fileList);
      for (const { fileID } of entries) {
        const isText = typeof fileID === 'string';
        t.expect(isText, `fileID of an entry must be a string, not ${show(fileID)}`, reply);
      }
      for (const { fileID } of fileList) {
        const count = entriesOf(entries, fileID).length;
        t.expect(count === 1, `one entry must have the fileID ${fileID}, not ${count}`, reply);
      }
    }
  }),
  defineCheck('ST-LINKS-CODE', needsFiles, async (t: CheckContext) => {
    const { orders } = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    for (const fileList of [orders.slice(0, 1), orders]) {
      const { reply, entries } = await askForLinks(t, fileList);
      for (const { code } of entries) {
        if (code !== 'SUCCESS') {
          // Where the IDs name no files, and nothing can be deleted, the fault is not in the links.
          const ids = fileList.map(({ fileID }) => fileID);
          const deleted = await t.storage.list('batchDelete', ids);
          t.reach(
            deleted.some((entry) => entry.code === 'SUCCESS'),
            'an upload stored nothing',
          );
        }
        const wanted = `the code of a file that exists must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', wanted, reply);
      }
    }
    const { reply, entries } = await askForLinks(t, [{ fileID: await missingFileId(t) }]);
    for (const { code } of entries) {
      const isText = typeof code === 'string';
      t.expect(isText, `the code of a missing file must be a string, not ${show(code)}`, reply);
    }
  }),
  defineCheck('ST-LINKS-URL', needsFiles, async (t) => {
    const { orders } = await storeForLinks(t, 'a.txt', 'b.txt');
    const missing = { fileID: await missingFileId(t) };
    for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
      const { reply, entries } = await askForLinks(t, fileList);
      for (const { code, tempFileURL } of entries) {
        const what = `tempFileURL of an entry with the code ${show(code)}`;
        const isText = typeof tempFileURL === 'string';
        t.expect(isText, `${what} must be a string, not ${show(tempFileURL)}`, reply);
      }
    }
  }),
  defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: CheckContext) => {
    const files = [];
    for (const { name, bytes } of CONTENTS) {
      const { fileId } = await t.upload.store(name, bytes);
      const { entries } = await askForLinks(t, [{ fileID: fileId }]);
      const [entry = entries[0]] = entriesOf(entries, fileId);
      const link = String(entry?.tempFileURL);
      if (entry?.code !== 'SUCCESS' || !URL.canParse(link)) continue;
      files.push({ name, bytes, fileId, link });
      for (const turn of ['first', 'second']) {
        await expectFile(t, `${name}, ${turn} GET of the link`, link, bytes);
      }
    }
    const [first] = files;
    t.reach(first !== undefined, 'batchGetTempUrls gave no link');
    const { entries } = await askForLinks(
      t,
      files.map(({ fileId }) => ({ fileID: fileId })),
    );
    for (const { name, bytes, fileId } of files) {
      const [entry] = entriesOf(entries, fileId);
      const link = String(entry?.tempFileURL);
      if (entry?.code !== 'SUCCESS' || !URL.canParse(link)) continue;
      await expectFile(t, `${name}, link of a call for several files`, link, bytes);
    }
    await expectFile(t, `${first.name}, link that is not the last one`, first.link, first.bytes);
  }),
  defineCheck('ST-LINKS-EXPIRE', needsFiles, async (t: CheckContext) => {
    const file = await t.upload.store('short.txt');
    const other = await t.upload.store('long.txt');
    const long = await askForLink(t, other.fileId, LONG);
    const started = performance.now();
    for (const seconds of SHORT) {
      const link = await askForLink(t, file.fileId, seconds);
      if (link === undefined) continue;
      const { maxAge, lifetime } = link;
      t.reach(await works(t, link, file.bytes), `a link with maxAge ${maxAge} never works`);
      const isAlive = await outlives(t, link, file.bytes, lifetime);
      const late = `a link with maxAge ${maxAge} must stop working, and it still works after ${spellAge(link.asked)}`;
      t.expect(!isAlive || (await isOfMinimum(t, link, file)), late);
      if (long === undefined || performance.now() - started > (LONG - GRACE) * 1000) return;
      const isThere = await works(t, long, other.bytes);
      t.expect(
        isThere,
        `a link with maxAge ${long.maxAge} must not stop after ${spellAge(started)}`,
      );
      return;
    }
    t.apply(false, `the deployment gives no link with a maxAge of ${SHORT.join(', ')} s`);
  }),
  defineCheck('ST-LINKS-MISSING', needsFiles, async (t: CheckContext) => {
    const file = await t.upload.store('deleted.txt');
    await judge(t, 'a file that was never stored', await missingFileId(t), file.fileId);
    const shorter = await t.upload.fileIdOf(t.storage.path('deleted'));
    await judge(t, 'a path that a longer one begins with', shorter);
    await t.storage.list('batchDelete', [file.fileId]);
    await judge(t, 'a file that was deleted', file.fileId);
  }),
  defineCheck('ST-LINKS-ALONE', needsFiles, async (t: CheckContext) => {
    const { files, orders } = await storeForLinks(t, 'a.txt', 'b.txt');
    const good = await askForLinks(t, orders);
    const areGood = good.entries.every(({ code }) => code === 'SUCCESS');
    t.reach(areGood, 'good items alone do not get their links');
    const bad = { fileID: await missingFileId(t) };
    const strange = { fileID: 'no file has this name' };
    const [a, b] = orders;
    const cases = [
      { what: 'a missing file in the first place', fileList: [bad, a, b] },
      { what: 'a missing file in the middle', fileList: [a, bad, b] },
      { what: 'a missing file in the last place', fileList: [a, b, bad] },
      { what: 'two missing files around good ones', fileList: [bad, a, b, bad] },
      { what: 'a strange file ID in the middle', fileList: [a, strange, b] },
    ];
    for (const { what, fileList } of cases) {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const { status } = reply.received;
      t.expect(!reply.refused, `${what}: the call must not be refused with ${status}`, reply);
      const list = reply.data?.fileList;
      if (reply.refused || !Array.isArray(list)) continue;
      for (const { fileId, path } of files) {
        const entries = entriesOf(list.map(Object), fileId);
        // That each entry has its fileID is ST-LINKS-FILE-ID.
        if (entries.length === 0 && list.length === fileList.length) continue;
        const [entry] = entries;
        const isLinked = entry?.code === 'SUCCESS' && typeof entry.tempFileURL === 'string';
        const came = entry === undefined ? 'no entry' : `the code ${show(entry.code)}`;
        t.expect(isLinked, `${what}: ${path} must get its link, not ${came}`, reply);
      }
    }
  }),
];
