import type { CheckContext } from '../context/check-context.ts';
import type { Entry, StorageReply } from '../context/storage-client.ts';
import { NetworkFault } from '../http/health.ts';
import { Unreached } from '../result.ts';
import { type Check, defineCheck } from './check.ts';
import { show } from './support/cite.ts';
import { expectLinksExpire, linkOf } from './support/link-lifetimes.ts';
import {
  entriesOf,
  expectFileIds,
  expectLists,
  expectListsRefused,
  missingFileId,
  needsFiles,
  storeAll,
} from './support/storage.ts';

/** One item of a links call. */
interface LinkOrder {
  fileID: string;
  maxAge?: number;
}

function askForLinks(
  t: CheckContext,
  fileList: readonly LinkOrder[],
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  return t.storage.listReply('batchGetTempUrls', fileList);
}

/** Stores small files and returns an item for each. */
async function storeForLinks(t: CheckContext, ...names: string[]): Promise<LinkOrder[]> {
  return (await storeAll(t, ...names)).map(({ fileId }) => ({ fileID: fileId }));
}

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('The content\r\nof the file.\n') },
  { name: 'level/empty.bin', bytes: Buffer.alloc(0) },
  {
    name: 'large.bin',
    bytes: Buffer.alloc(1_048_577, Buffer.from(Array.from({ length: 251 }, (_, at) => at))),
  },
  { name: 'fourth.txt', bytes: Buffer.from('the fourth file') },
  { name: 'level/fifth.txt', bytes: Buffer.from('the fifth file') },
];

/** How many of them are also read with links of their own. */
const ALONE = 2;

async function expectFile(
  t: CheckContext,
  what: string,
  link: string,
  bytes: Buffer,
): Promise<void> {
  const exchange = await t.upload.download(link);
  const { status, body } = exchange.received;
  const isSuccess = status >= 200 && status <= 299;
  t.expect(isSuccess, `${what} must return the file, but the response was ${status}`, exchange);
  if (!isSuccess) return;
  const wanted = `${what} must return the ${bytes.length} bytes of the file`;
  t.expect(
    body.equals(bytes),
    `${wanted}, but returned ${body.length} bytes with different content`,
    exchange,
  );
}

/** Lifetimes to try, in seconds: each deployment decides which ones it accepts (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];

async function verify(
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
    // If the link returns a file, it is not missing; another rule covers that it was not deleted.
    const link = String(wrong?.tempFileURL);
    const isThere = URL.canParse(link) && (await leadsToFile(t, link));
    t.reach(!isThere, `${what} still exists`);
    t.expect(false, `${what}: the code of its entry must not be SUCCESS`, reply);
  }
}

/** A link to an unreachable host leads to no file. */
async function leadsToFile(t: CheckContext, link: string): Promise<boolean> {
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
    const orders = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    for (const fileList of [orders.slice(0, 1), orders]) {
      const what = `batchGetTempUrls of ${fileList.length} files`;
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const { status } = reply.received;
      t.expect(!reply.refused, `${what} must return links, but the response was ${status}`, reply);
      const entries = reply.data?.fileList;
      for (const { code, tempFileURL } of Array.isArray(entries) ? entries.map(Object) : []) {
        // Other rules cover other codes, and links that are not strings.
        if (code !== 'SUCCESS' || typeof tempFileURL !== 'string') continue;
        const isLink = /^https?:\/\/[^/?#]/i.test(tempFileURL) && URL.canParse(tempFileURL);
        const message = `${what}: a link must be an absolute URL, not ${show(tempFileURL)}`;
        t.expect(isLink, message, reply);
      }
    }
  }),
  defineCheck('ST-LINKS-ITEM-FILE-ID', needsFiles, async (t: CheckContext) => {
    const [good] = await storeForLinks(t, 'file.txt');
    const sound = await t.storage.call('batchGetTempUrls', { fileList: [good] });
    t.reach(!sound.refused, 'a call whose item has a fileID is rejected');
    const maxAge = t.storage.maxAge(60);
    await expectListsRefused(t, 'batchGetTempUrls', [
      { what: 'an empty item', fileList: [{}] },
      { what: 'an item with only maxAge', fileList: [{ maxAge }] },
      { what: 'a valid item followed by one without fileID', fileList: [good, { maxAge }] },
      { what: 'an item without fileID followed by a valid one', fileList: [{}, good] },
    ]);
  }),
  defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t: CheckContext) => {
    const orders = await storeForLinks(t, 'file.txt', 'other.txt');
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
    // If neither gets a link, or two items never do, something else is at fault.
    t.reach(without.works || alone.works, 'batchGetTempUrls returns no links at all');
    t.expect(
      without.works,
      'an item without maxAge must get its link, but it did not',
      without.reply,
    );
    t.expect(
      alone.works,
      `an item with maxAge ${maxAge} must get its link, but it did not`,
      alone.reply,
    );
    if (!(await ask(one, other)).works) return;
    const cases = {
      'in the first item': [{ ...one, maxAge }, other],
      'in the second item': [one, { ...other, maxAge }],
    };
    for (const [what, fileList] of Object.entries(cases)) {
      const { reply, works } = await ask(...fileList);
      t.expect(
        works,
        `a call with maxAge ${maxAge} only ${what}: both items must get their links, but they did not`,
        reply,
      );
    }
  }),
  defineCheck('ST-LINKS-LIST', needsFiles, async (t) => {
    const [a, b] = await storeForLinks(t, 'a.txt', 'b.txt');
    const missing = { fileID: await missingFileId(t) };
    await expectLists(t, 'batchGetTempUrls', [
      { what: 'one file', fileList: [a] },
      { what: 'two files', fileList: [a, b] },
      { what: 'two files and a missing one', fileList: [a, missing, b] },
      { what: 'a missing file', fileList: [missing] },
      { what: 'the same file twice', fileList: [a, a] },
      {
        what: 'twelve items',
        fileList: Array.from({ length: 12 }, (_, at) => [a, b, missing][at % 3]),
      },
    ]);
  }),
  defineCheck('ST-LINKS-FILE-ID', needsFiles, async (t) => {
    const orders = await storeForLinks(t, 'A.txt', 'level/b.TXT');
    const missing = { fileID: await missingFileId(t) };
    for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
      await expectFileIds(t, 'batchGetTempUrls', fileList);
    }
  }),
  defineCheck('ST-LINKS-CODE', needsFiles, async (t: CheckContext) => {
    const orders = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    const nine = Array.from({ length: 3 }, () => orders).flat();
    for (const fileList of [orders.slice(0, 1), orders, nine]) {
      const given = await askForLinks(t, fileList).catch((error) => {
        // The contract does not define how many items a call may have.
        if (fileList !== nine || !(error instanceof Unreached)) throw error;
      });
      if (given === undefined) {
        t.note('A call for nine links was rejected.');
        continue;
      }
      const { reply, entries } = given;
      for (const { code } of entries) {
        if (code !== 'SUCCESS') {
          // If the IDs refer to no files, and nothing can be deleted, the links are not at fault.
          const ids = fileList.map(({ fileID }) => fileID);
          const deleted = await t.storage.list('batchDelete', ids);
          const areFiles = deleted.some((entry) => entry.code === 'SUCCESS');
          t.reach(areFiles, 'an upload stored nothing');
        }
        const wanted = `the code of an existing file must be "SUCCESS", not ${show(code)}`;
        t.expect(code === 'SUCCESS', wanted, reply);
      }
    }
    const { reply } = await askForLinks(t, [{ fileID: await missingFileId(t) }]);
    t.claim('ST-LINKS-CODE', 'a link to a missing file', reply);
  }),
  defineCheck('ST-LINKS-URL', needsFiles, async (t) => {
    const orders = await storeForLinks(t, 'a.txt', 'b.txt');
    const missing = { fileID: await missingFileId(t) };
    for (const fileList of [orders.slice(0, 1), [...orders, missing], [missing]]) {
      const { reply } = await askForLinks(t, fileList);
      t.claim('ST-LINKS-URL', `batchGetTempUrls with ${fileList.length} items`, reply);
    }
  }),
  defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: CheckContext) => {
    let first: { name: string; bytes: Buffer; link: string } | undefined;
    const files = [];
    for (const [index, { name, bytes }] of CONTENTS.entries()) {
      const { fileId } = await t.upload.store(name, bytes);
      files.push({ name, bytes, fileId });
      if (index >= ALONE) continue;
      const { entries } = await askForLinks(t, [{ fileID: fileId }]);
      const link = linkOf(entriesOf(entries, fileId)[0] ?? entries[0]);
      for (const turn of link === undefined ? [] : ['first', 'second']) {
        await expectFile(t, `the ${turn} GET of a link to ${name}`, String(link), bytes);
      }
      if (link !== undefined) first ??= { name, bytes, link };
    }
    t.reach(first !== undefined, 'batchGetTempUrls returned no link');
    const orders = files.map(({ fileId }) => ({ fileID: fileId }));
    const { entries } = await askForLinks(t, orders);
    for (const { name, bytes, fileId } of files) {
      const link = linkOf(entriesOf(entries, fileId)[0]);
      if (!link) continue;
      for (const turn of name === 'fourth.txt' ? ['first', 'second'] : ['first']) {
        const what = `the ${turn} GET of the link to ${name} from a call for several files`;
        await expectFile(t, what, link, bytes);
      }
    }
    await expectFile(
      t,
      `the link to ${first.name} that was issued before other links`,
      first.link,
      first.bytes,
    );
  }),
  defineCheck('ST-LINKS-EXPIRE', needsFiles, expectLinksExpire, { waits: true }),
  defineCheck('ST-LINKS-MISSING', needsFiles, async (t: CheckContext) => {
    const file = await t.upload.store('deleted.txt');
    await verify(t, 'a file that was never stored', await missingFileId(t), file.fileId);
    const shorter = await t.upload.fileIdOf(t.storage.path('deleted'));
    await verify(t, 'a path that is only the beginning of an existing path', shorter);
    await t.storage.list('batchDelete', [file.fileId]);
    await verify(t, 'a file that was deleted', file.fileId);
  }),
  defineCheck('ST-LINKS-ALONE', needsFiles, async (t: CheckContext) => {
    const files = await storeAll(t, 'a.txt', 'b.txt');
    const [a, b] = files.map(({ fileId }) => ({ fileID: fileId })) as [LinkOrder, LinkOrder];
    const good = await askForLinks(t, [a, b]);
    const areGood = good.entries.every(({ code }) => code === 'SUCCESS');
    t.reach(areGood, 'a call with only valid items does not return links for them');
    const bad = { fileID: await missingFileId(t) };
    const cases = {
      'a missing file as the first item': [bad, a, b],
      'a missing file in the middle item': [a, bad, b],
      'a missing file in the last item': [a, b, bad],
      'missing files before and after valid ones': [bad, a, b, bad],
      'an invalid file ID in the middle item': [a, { fileID: 'no file has this name' }, b],
    };
    for (const [what, fileList] of Object.entries(cases)) {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const { status } = reply.received;
      t.expect(
        !reply.refused,
        `${what}: the call must not be rejected, but the response was ${status}`,
        reply,
      );
      const list = reply.data?.fileList;
      if (reply.refused || !Array.isArray(list)) continue;
      for (const { fileId, path } of files) {
        const [entry] = entriesOf(list.map(Object), fileId);
        // ST-LINKS-FILE-ID covers that each entry has its fileID.
        if (entry === undefined && list.length === fileList.length) continue;
        const isLinked = entry?.code === 'SUCCESS' && typeof entry.tempFileURL === 'string';
        const came = entry === undefined ? 'no entry' : `the code ${show(entry.code)}`;
        t.expect(
          isLinked,
          `${what}: ${path} must get its link, but the response had ${came}`,
          reply,
        );
      }
    }
  }),
];
