import { setTimeout as wait } from 'node:timers/promises';
import type { CheckContext } from '../../context/check-context.ts';
import type { Entry } from '../../context/storage-client.ts';
import type { StoredFile } from '../../context/upload-client.ts';
import { entriesOf, isFile, poll, storeAll } from './storage.ts';

/** Returns the link of an entry, if it has one. */
export function linkOf({ code, tempFileURL }: Entry = {}): string | undefined {
  const link = String(tempFileURL);
  return code === 'SUCCESS' && URL.canParse(link) ? link : undefined;
}

/** Lifetimes to try, in seconds, the shortest first: each deployment decides which ones it accepts (D22). */
const SHORT = [2, 5, 15, 60];

const LONG = 120;

/** The longest lifetime that a deployment may grant instead of a shorter one, in seconds. */
const LEAST = 60;

/** How much longer than its `maxAge` a link may work, in seconds. */
const GRACE = 10;

const SECONDS = { ms: 0.001, s: 1, min: 60 };

/**
 * Returns whether a link works for too long because the deployment grants no lifetime of less than a
 * minute: then it ends after a minute, just like one that is requested for a minute.
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
  t.note(
    `A link with maxAge ${link.maxAge} works for as long as a link with maxAge ${least.maxAge}.`,
  );
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
  isOtherForm = false,
): Promise<Link | undefined> {
  const maxAge = t.storage.maxAge(seconds);
  const asked = performance.now();
  const fields = { fileList: [{ fileID, maxAge }] };
  const reply = await t.storage.call('batchGetTempUrls', fields, { isOtherForm });
  const url = linkOf(Object(Object(reply.data?.fileList)[0]));
  return url === undefined ? undefined : toLink(t, url, maxAge, asked);
}

const toLink = (t: CheckContext, url: string, maxAge: number, asked: number): Link => ({
  ...{ url, maxAge, asked },
  lifetime: maxAge * SECONDS[t.settings.maxAgeUnit],
});

/** A link to a file; `lifetime` is not a number if the link was requested without `maxAge`. */
type FileLink = Link & { file: StoredFile };

/** Links with different lifetimes from one call. The deployment decides which ones it accepts. */
interface Lifetimes {
  short: FileLink;
  /** Works a little longer. */
  middle: FileLink | undefined;
  long: FileLink | undefined;
  /** Without `maxAge`. */
  usual: FileLink | undefined;
  /** As short, and not used until it has expired. */
  unused: FileLink | undefined;
  /** As short, from a call in the other form of a request, if the deployment accepts that form too. */
  otherForm: Link | undefined;
}

const NAMES = ['long', 'short', 'middle', 'usual', 'unused'] as const;

/** Requests links in one call. `undefined` if the deployment issues none with such a lifetime. */
async function askForLifetimes(
  t: CheckContext,
  files: readonly StoredFile[],
  seconds: number,
): Promise<Lifetimes | undefined> {
  const middle = seconds < LEAST ? seconds + LATER : LONG;
  const ages = { long: LONG, short: seconds, middle, usual: Number.NaN, unused: seconds };
  const items = NAMES.map((name, index) => {
    const maxAge = t.storage.maxAge(ages[name]);
    return { name, maxAge, file: files[index] };
  });
  const fileList = items.map(({ maxAge, file }) =>
    Number.isNaN(maxAge) ? { fileID: file?.fileId } : { fileID: file?.fileId, maxAge },
  );
  const asked = performance.now();
  const reply = await t.storage.call('batchGetTempUrls', { fileList });
  const entries: Entry[] = [reply.data?.fileList ?? []].flat().map(Object);
  const linkTo = (name: (typeof NAMES)[number]): FileLink | undefined => {
    const { maxAge = 0, file } = items.find((item) => item.name === name) ?? {};
    const url = file && linkOf(entriesOf(entries, file.fileId)[0]);
    return url === undefined || !file ? undefined : { ...toLink(t, url, maxAge, asked), file };
  };
  const short = linkTo('short');
  if (short === undefined) return undefined;
  const otherForm = await askForLink(t, short.file.fileId, seconds, true);
  const [long, later, usual, unused] = (['long', 'middle', 'usual', 'unused'] as const).map(linkTo);
  return { short, middle: later, long, usual, unused, otherForm };
}

/** How much longer the middle lifetime is than the short one, in seconds. */
const LATER = 3;

/** How much a lifetime may differ because a clock counts whole seconds, in milliseconds. */
const TICK = 1000;

const waitUntil = (t: CheckContext, time: number) =>
  wait(Math.max(time - performance.now(), 0), undefined, { signal: t.signal });

/** Expects each link to work for its own lifetime, and no longer. */
async function expectLifetimes(t: CheckContext, links: Lifetimes): Promise<void> {
  const { short, middle, long, usual, unused, otherForm } = links;
  const end = short.asked + short.lifetime * 1000;
  if (usual) t.reach(await works(t, usual, usual.file.bytes), 'a link without maxAge never works');
  await expectAlive(t, short, short.lifetime);
  await waitUntil(t, end - TICK);
  const isAlive = await outlives(t, short, short.file.bytes, short.lifetime);
  const isMinimum = isAlive && (await isOfMinimum(t, short, short.file));
  const since = spellAge(short.asked);
  const late = `a link with maxAge ${short.maxAge} must stop working, but it still works after ${since}`;
  t.expect(!isAlive || isMinimum, late);
  if (isAlive) return;
  const ended = performance.now();
  await waitUntil(t, end + TICK);
  await expectAlive(t, middle, middle?.lifetime);
  await expectAlive(t, usual, USUAL);
  // The others were requested at the same time, but a clock that counts whole seconds may have moved on.
  await waitUntil(t, Math.max(ended, end) + 1.5 * TICK);
  if (unused) await expectDead(t, unused, unused.file, 'that was not used before');
  if (otherForm) await expectDead(t, otherForm, short.file, 'from a call in the other form');
  if (performance.now() - short.asked > (LONG - GRACE) * 1000) return;
  await expectAlive(t, long, long?.lifetime);
  await askForLink(t, short.file.fileId, LONG);
  await expectDead(t, short, short.file, 'to a file that got a new link');
}

async function expectAlive(t: CheckContext, link?: FileLink, lifetime = 0): Promise<void> {
  if (link === undefined) return;
  const exchange = await t.upload.download(link.url);
  // A response that comes too late proves nothing.
  if (performance.now() > link.asked + lifetime * 1000 - TICK) return;
  const age = Number.isNaN(link.maxAge) ? 'without maxAge' : `with maxAge ${link.maxAge}`;
  const message = `a link ${age} must still work after ${spellAge(link.asked)}, but it does not`;
  t.expect(isFile(exchange, link.file.bytes), message, exchange);
}

async function expectDead(
  t: CheckContext,
  { url, maxAge, asked }: Link,
  { bytes }: StoredFile,
  which: string,
): Promise<void> {
  const exchange = await t.upload.download(url);
  const message = `a link ${which}, with maxAge ${maxAge}, must stop working, but it still works after ${spellAge(asked)}`;
  t.expect(!isFile(exchange, bytes), message, exchange);
}

/** How long a link without `maxAge` must work, in seconds: its lifetime is not specified. */
const USUAL = 5;

/** Returns whether a link still works slightly more than this many seconds later. */
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

/** Returns whether a link returns the file. */
async function works(t: CheckContext, { url }: Link, bytes: Buffer): Promise<boolean> {
  return isFile(await t.upload.download(url), bytes);
}

/** Expects links to stop working after their lifetimes, and not before. */
export async function expectLinksExpire(t: CheckContext): Promise<void> {
  const files = await storeAll(t, ...NAMES);
  for (const seconds of SHORT) {
    const links = await askForLifetimes(t, files, seconds);
    if (links === undefined) continue;
    await expectLifetimes(t, links);
    return;
  }
  t.apply(false, `the deployment issues no links for a maxAge of ${SHORT.join(' or ')} s`);
}
