import { setTimeout as wait } from 'node:timers/promises';
import { DisabledError, SkipError } from '../errors.ts';
import { entryOf, hasFailed, isSuccess, linkOf } from '../http/read-response.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import { hasBytes, toItems } from '../run/files.ts';
import { expectAccepted, LARGE, missingFileId, needsFiles } from './storage-calls.ts';

/** Lifetimes to try, in seconds: each deployment decides which ones it accepts (D22). */
const LIFETIMES = [60, 600, 3600, 10, 1];
/** Lifetimes to try if the check waits for a link to expire: the shortest first. */
const SHORT = [2, 5, 15, 60];
const LONG = 120;
/** How much longer than its `maxAge` a link may work, in seconds. */
const GRACE = 10;
/** How much a lifetime may differ because a clock counts whole seconds, in seconds. */
const TICK = 1;
const SECONDS = { ms: 0.001, s: 1, min: 60 };

type ListOperation = 'batchGetTempUrls' | 'batchDelete';

const NAMES = ['a', 'b', 'c', 'd'];

/** Stores files, and expects success for them in two calls that also name missing files. */
async function expectSuccessAlone(t: CheckContext, operation: ListOperation): Promise<void> {
  await t.files.storeReadable(NAMES);
  const [a = '', b = '', c = '', d = ''] = await t.files.ids(...NAMES);
  const missing = await missingFileId(t);
  await expectSuccesses(t, operation, 2, [missing, a, b]);
  await expectSuccesses(t, operation, 2, [c, 'no file has this name', d, missing]);
}

export const storageLinks: readonly Check[] = [
  defineCheck('ST-LINKS-EXPIRE', needsFiles, expectLinksExpire),
  defineCheck('ST-LINKS-CALL', needsFiles, async (t) => {
    const names = ['a.txt', 'level/b.txt', 'no-extension'];
    await t.files.storeAll(names);
    const ids = await t.files.ids(...names);
    await expectSuccesses(t, 'batchGetTempUrls', 1, ids.slice(0, 1));
    await expectSuccesses(t, 'batchGetTempUrls', 6, [...ids, ...ids]);
  }),
  defineCheck('ST-LINKS-MAX-AGE', needsFiles, async (t) => {
    await t.files.storeAll(['a', 'b']);
    const [a, b] = toItems(await t.files.ids('a', 'b'));
    const link = async (...fileList: unknown[]) => {
      const reply = await t.storage.call('batchGetTempUrls', { fileList });
      return { reply, isDone: reply.entries?.filter(linkOf).length === fileList.length };
    };
    let last = await link(a, b);
    t.expect(last.isDone, 'items without maxAge must get links', last.reply);
    for (const maxAge of LIFETIMES.map((seconds) => t.storage.maxAge(seconds))) {
      last = await link({ ...a, maxAge });
      if (!last.isDone) continue;
      const message = `maxAge ${maxAge} must be accepted in the second item of a call, as it was in a call with one item`;
      last = await link(a, { ...b, maxAge });
      return t.expect(last.isDone, message, last.reply);
    }
    const message = `an item with a maxAge must get a link; tried: ${LIFETIMES.join(', ')} s`;
    t.expect(false, message, last.reply);
  }),
  defineCheck('ST-LINKS-DOWNLOAD', needsFiles, async (t) => {
    const files = ['text', 'level/empty', 'large', 'fourth'];
    const contents = { text: 'A\r\nB\n', 'level/empty': '', large: LARGE };
    await t.files.storeAll(files, contents);
    const items = toItems(await t.files.ids(...files));
    const { entries } = await t.storage.list('batchGetTempUrls', items);
    const links = items.map(({ fileID }) => linkOf(entryOf(entries, fileID)));
    if (!links.some(Boolean)) throw new SkipError('batchGetTempUrls returned no link');
    // Another link must not replace the first one.
    await t.storage.list('batchGetTempUrls', items);
    for (const [index, name] of [...files, 'text'].entries()) {
      const link = links[index % links.length];
      if (link === undefined) continue;
      const exchange = await t.files.download(link);
      const { status, body } = exchange.received;
      const isFile = status < 300 && t.files.contentOf(name).equals(body);
      const message = `the link of ${name} must return the file, but returned ${status} with ${body.length} bytes`;
      t.expect(isFile, message, exchange);
    }
  }),
  defineCheck('ST-LINKS-MISSING', needsFiles, async (t) => {
    await t.files.storeAll(['deleted.txt']);
    const [deleted = '', beginning = ''] = await t.files.ids('deleted.txt', 'deleted');
    const ids = [deleted, beginning, await missingFileId(t)];
    // A file, the beginning of its path, and one that was never stored.
    await expectSuccesses(t, 'batchGetTempUrls', 1, ids);
    await t.files.delete('deleted.txt');
    await expectSuccesses(t, 'batchGetTempUrls', 0, [deleted]);
  }),
  defineCheck('ST-LINKS-ALONE', needsFiles, (t) => expectSuccessAlone(t, 'batchGetTempUrls')),
  defineCheck('ST-DELETE-CALL', needsFiles, async (t) => {
    const names = ['alone', 'a.txt', 'level/b.txt', 'c', 'd.txt'];
    await t.files.storeReadable(names);
    const ids = await t.files.ids(...names);
    await expectSuccesses(t, 'batchDelete', 1, ids.slice(0, 1));
    await expectSuccesses(t, 'batchDelete', 4, ids.slice(1));
    // A link that was issued earlier may still work, because a cache may hold the file.
    await t.expectGone('after it was deleted', ...names);
    const copied = await t.files.copy(...names.map((from) => ({ from, to: `${from}.copy` })));
    t.expect(copied.entries.every(hasFailed), 'a deleted file must not be copied', copied);
  }),
  defineCheck('ST-DELETE-ONLY', needsFiles, async (t) => {
    const others = ['name.txt', 'nam', 'level/name', 'folder/inner.txt'];
    await t.files.storeReadable(['NAME', 'name', ...others]);
    // If the two are one file, it is not the deletion that loses it.
    const [capital = ''] = await t.files.ids('NAME');
    const isOther = hasBytes(await t.files.read(capital), t.files.contentOf('NAME'));
    await t.files.delete('name', 'folder');
    if (isOther) others.push('NAME');
    await t.expectKept('after only name and the path of a folder were deleted', ...others);
  }),
  defineCheck('ST-DELETE-MISSING', needsFiles, async (t) => {
    await t.files.storeReadable(['deleted', 'present']);
    const missing = await missingFileId(t);
    const ids = [missing, ...(await t.files.ids('deleted', 'present'))];
    await t.files.delete('deleted');
    await expectSuccesses(t, 'batchDelete', 1, ids);
    await expectSuccesses(t, 'batchDelete', 0, [missing]);
  }),
  defineCheck('ST-DELETE-ALONE', needsFiles, async (t) => {
    await expectSuccessAlone(t, 'batchDelete');
    await t.expectGone('after it was deleted next to missing files', ...NAMES);
  }),
];

interface Link {
  url: string | undefined;
  bytes: Buffer | undefined;
  /** In seconds. */
  lifetime: number;
}

async function expectLinksExpire(t: CheckContext): Promise<void> {
  const names = ['long', 'short', 'unused'];
  await t.files.storeAll(names);
  const ids = await t.files.ids(...names);
  for (const seconds of SHORT) {
    const ages = [LONG, seconds, seconds].map((age) => t.storage.maxAge(age));
    const fileList = ids.map((fileID, index) => ({ fileID, maxAge: ages[index] }));
    // The lifetimes begin between these two.
    const requested = performance.now();
    const { entries = [] } = await t.storage.call('batchGetTempUrls', { fileList });
    const responded = performance.now();
    const [long, short, unused] = names.map((name, index): Link => {
      const lifetime = (ages[index] ?? 0) * SECONDS[t.run.settings.maxAgeUnit];
      const url = linkOf(entryOf(entries, ids[index]));
      return { url, bytes: t.files.contentOf(name), lifetime };
    }) as [Link, Link, Link];
    if (short.url === undefined || unused.url === undefined) continue;
    // Another link to the same file must not prolong this one.
    const later = [{ fileID: ids[1], maxAge: ages[0] }];
    await t.storage.call('batchGetTempUrls', { fileList: later });
    await expectAlive(t, short, requested);
    await expectEnd(t, short, responded);
    await expectEnd(t, unused, responded);
    await expectAlive(t, long, requested);
    return;
  }
  throw new DisabledError(`the deployment issues no links for a maxAge of ${SHORT.join(' or ')} s`);
}

async function expectAlive(t: CheckContext, link: Link, begin: number): Promise<void> {
  const { isAlive, exchange } = await tryLink(t, link);
  const age = (performance.now() - begin) / 1000;
  // A response that arrives too late proves nothing.
  if (link.url === undefined || age > link.lifetime - TICK) return;
  const message = `a link with maxAge ${link.lifetime} s must work after ${age.toFixed(1)} s`;
  t.expect(isAlive, message, exchange);
}

/** Expects a link to stop working after its lifetime, or after the shortest one that the deployment supports. */
async function expectEnd(t: CheckContext, link: Link, begin: number): Promise<void> {
  const { lifetime } = link;
  const toAge = () => (performance.now() - begin) / 1000;
  const pause = (duration: number) => wait(duration * 1000, undefined, { signal: t.run.signal });
  const limit = Math.max(lifetime, t.run.settings.minLinkSeconds) + GRACE;
  await pause(Math.max(0, lifetime - toAge()));
  let last = await tryLink(t, link);
  while (last.isAlive && toAge() <= limit) {
    await pause(0.5);
    last = await tryLink(t, link);
  }
  const age = toAge();
  const message = `a link with maxAge ${lifetime} s still works after ${age.toFixed(1)} s`;
  t.expect(!last.isAlive, message, last.exchange);
  if (age > lifetime + GRACE) t.note(`A link for ${lifetime} s works longer than that.`);
}

async function tryLink(t: CheckContext, { url, bytes }: Link) {
  if (url === undefined) return { isAlive: false, exchange: undefined };
  const exchange = await t.files.download(url);
  const { status, body } = exchange.received;
  const isAlive = status >= 200 && status <= 299 && bytes !== undefined && body.equals(bytes);
  return { isAlive, exchange };
}

/** Expects this many entries in the response of a links or delete call to have the code SUCCESS. */
async function expectSuccesses(
  t: CheckContext,
  operation: ListOperation,
  expected: number,
  ids: readonly string[],
): Promise<void> {
  const fileList = operation === 'batchDelete' ? ids : toItems(ids);
  const reply = await t.storage.call(operation, { fileList });
  if (expected > 0 && !expectAccepted(t, reply)) return;
  const count = (reply.entries ?? []).filter(isSuccess).length;
  const message = `${expected} of ${ids.length} entries must have the code SUCCESS, but ${count} do`;
  t.expect(count === expected, message, reply);
}
