import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { NetworkFault } from '../http/faults.ts';
import { Unreached } from '../result.ts';
import { show } from '../validation/cite.ts';
import { expectLinksExpire } from './support/link-lifetimes.ts';
import {
  entriesOf,
  expectAccepted,
  expectListsRefused,
  isFile,
  linkOf,
  missingFileId,
  needsFiles,
  storeAll,
} from './support/storage.ts';

interface LinkOrder {
  fileID: string;
  maxAge?: number;
}

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
  const came = `but the response was ${status} with ${body.length} bytes`;
  const message = `${what} must return the ${bytes.length} bytes of the file, ${came}`;
  t.expect(isFile(exchange, bytes), message, exchange);
}

/** Lifetimes to try, in seconds: each deployment decides which ones it accepts (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];

/** Expects no success for a missing file, alone and next to one that exists. */
async function expectNoSuccess(
  t: CheckContext,
  what: string,
  fileID: string,
  present?: string,
): Promise<void> {
  for (const others of [[], present === undefined ? [] : [{ fileID: present }]]) {
    const { reply, entries } = await t.storage.listReply('batchGetTempUrls', [
      { fileID },
      ...others,
    ]);
    const count = entries.filter(({ code }) => code === 'SUCCESS').length;
    // If the link returns a file, it is not missing; another rule covers that it was not deleted.
    const link = count > others.length && linkOf(entriesOf(entries, fileID)[0] ?? entries[0]);
    t.reach(!link || !(await leadsToFile(t, link)), `${what} still exists`);
    const message = `${what}: the code of its entry must not be SUCCESS`;
    t.expect(count <= others.length, message, reply);
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
  defineCheck('ST-LINKS-CALL/1', needsFiles, async (t) => {
    const orders = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    for (const fileList of [orders.slice(0, 1), orders]) {
      const what = `batchGetTempUrls of ${fileList.length} files`;
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      expectAccepted(t, reply, what);
      for (const { code, tempFileURL } of reply.entries ?? []) {
        // Other rules cover other codes, and links that are not strings.
        if (code !== 'SUCCESS' || typeof tempFileURL !== 'string') continue;
        const isLink = /^https?:\/\/[^/?#]/i.test(tempFileURL) && URL.canParse(tempFileURL);
        const message = `${what}: a link must be an absolute URL, not ${show(tempFileURL)}`;
        t.expect(isLink, message, reply);
      }
    }
  }),
  defineCheck('ST-INVALID/4', needsFiles, async (t: CheckContext) => {
    const [good] = await storeForLinks(t, 'file.txt');
    const sound = await t.storage.call('batchGetTempUrls', { fileList: [good] });
    t.reach(!sound.refused, 'a call whose item has a fileID is rejected');
    const maxAge = t.storage.maxAge(60);
    await expectListsRefused(t, 'batchGetTempUrls', {
      'an empty item': [{}],
      'an item with only maxAge': [{ maxAge }],
      'a valid item followed by one without fileID': [good, { maxAge }],
      'an item without fileID followed by a valid one': [{}, good],
    });
  }),
  defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t: CheckContext) => {
    const orders = await storeForLinks(t, 'file.txt', 'other.txt');
    const [one = { fileID: '' }, other = { fileID: '' }] = orders;
    const ask = async (...fileList: LinkOrder[]) => {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      const linked = reply.entries?.filter(({ code }) => code === 'SUCCESS').length;
      return { reply, works: linked === fileList.length };
    };
    const expectLinks = ({ reply, works }: Awaited<ReturnType<typeof ask>>, what: string) =>
      t.expect(works, `${what} must get its link, but did not`, reply);
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
    expectLinks(without, 'an item without maxAge');
    expectLinks(alone, `an item with maxAge ${maxAge}`);
    if (!(await ask(one, other)).works) return;
    const item = `each item of a call with maxAge ${maxAge} only in`;
    expectLinks(await ask({ ...one, maxAge }, other), `${item} the first item`);
    expectLinks(await ask(one, { ...other, maxAge }), `${item} the second item`);
  }),
  defineCheck('ST-LINKS-CALL/2', needsFiles, async (t: CheckContext) => {
    const orders = await storeForLinks(t, 'a.txt', 'level/b.txt', 'c');
    const nine = Array.from({ length: 3 }, () => orders).flat();
    for (const fileList of [orders.slice(0, 1), orders, nine]) {
      const given = await t.storage.listReply('batchGetTempUrls', fileList).catch((error) => {
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
  }),
  defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t: CheckContext) => {
    let first: { name: string; bytes: Buffer; link: string } | undefined;
    const files = [];
    for (const [index, { name, bytes }] of CONTENTS.entries()) {
      const { fileId } = await t.upload.store(name, bytes);
      files.push({ name, bytes, fileId });
      if (index >= ALONE) continue;
      const { entries } = await t.storage.listReply('batchGetTempUrls', [{ fileID: fileId }]);
      const link = linkOf(entriesOf(entries, fileId)[0] ?? entries[0]);
      if (link === undefined) continue;
      await expectFile(t, `the first GET of a link to ${name}`, link, bytes);
      await expectFile(t, `the second GET of a link to ${name}`, link, bytes);
      first ??= { name, bytes, link };
    }
    t.reach(first !== undefined, 'batchGetTempUrls returned no link');
    const { entries } = await t.storage.listReply(
      'batchGetTempUrls',
      files.map(({ fileId }) => ({ fileID: fileId })),
    );
    for (const { name, bytes, fileId } of files) {
      const link = linkOf(entriesOf(entries, fileId)[0]);
      if (!link) continue;
      const what = `GET of the link to ${name} from a call for several files`;
      await expectFile(t, `the first ${what}`, link, bytes);
      if (name === 'fourth.txt') await expectFile(t, `the second ${what}`, link, bytes);
    }
    const earlier = `the link to ${first.name} that was issued before other links`;
    await expectFile(t, earlier, first.link, first.bytes);
  }),
  defineCheck('ST-LINKS-EXPIRE', needsFiles, expectLinksExpire, { waits: true }),
  defineCheck('ST-LINKS-MISSING', needsFiles, async (t: CheckContext) => {
    const file = await t.upload.store('deleted.txt');
    await expectNoSuccess(t, 'a file that was never stored', await missingFileId(t), file.fileId);
    const shorter = await t.upload.fileIdOf(t.storage.path('deleted'));
    await expectNoSuccess(t, 'a path that is only the beginning of an existing path', shorter);
    await t.storage.list('batchDelete', [file.fileId]);
    await expectNoSuccess(t, 'a file that was deleted', file.fileId);
  }),
  defineCheck('ST-LINKS-ALONE', needsFiles, async (t: CheckContext) => {
    const files = await storeAll(t, 'a.txt', 'b.txt');
    const [a, b] = files.map(({ fileId }) => ({ fileID: fileId })) as [LinkOrder, LinkOrder];
    const good = await t.storage.listReply('batchGetTempUrls', [a, b]);
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
      const { entries } = reply;
      if (!expectAccepted(t, reply, `a call with ${what}`) || !entries) continue;
      for (const { fileId, path } of files) {
        const [entry] = entriesOf(entries, fileId);
        // ST-LISTS/2 covers that each entry has its fileID.
        if (entry === undefined && entries.length === fileList.length) continue;
        const isLinked = entry?.code === 'SUCCESS' && typeof entry.tempFileURL === 'string';
        const message = `${what}: ${path} must get its link, but its entry was ${show(entry)}`;
        t.expect(isLinked, message, reply);
      }
    }
  }),
];
