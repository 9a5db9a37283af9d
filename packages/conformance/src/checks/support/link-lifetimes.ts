import { setTimeout as wait } from 'node:timers/promises';
import type { CheckContext } from '../../context/check-context.ts';
import type { StoredFile } from '../../context/upload-client.ts';
import { entriesOf, isFile, linkOf, poll, storeAll } from './storage.ts';

/** Lifetimes to try, in seconds, the shortest first: each deployment decides which ones it accepts (D22). */
const SHORT = [2, 5, 15, 60];
const LONG = 120;
/** How much longer than the short lifetime the middle one is, in seconds. */
const LATER = 3;
/** How long a link without `maxAge` must work, in seconds: its lifetime is not specified. */
const USUAL = 5;
/** How much longer than its `maxAge` a link may work, in seconds. */
const GRACE = 10;
/** How much a lifetime may differ because a clock counts whole seconds, in milliseconds. */
const TICK = 1000;

const SECONDS = { ms: 0.001, s: 1, min: 60 };

interface Link {
  url: string;
  file: StoredFile;
  maxAge: number | undefined;
  lifetime: number;
  /** When it was requested, and when the response was complete: its lifetime begins between them. */
  asked: number;
  answered: number;
}

/** Requests links with these lifetimes in one call. The deployment decides which ones it issues. */
async function askForLinks(
  t: CheckContext,
  files: readonly StoredFile[],
  lifetimes: readonly (number | undefined)[],
  isOtherForm = false,
): Promise<(Link | undefined)[]> {
  const asked = performance.now();
  const ages = lifetimes.map((seconds) => seconds && t.storage.maxAge(seconds));
  const fileList = files.map((file, at) => ({ fileID: file.fileId, maxAge: ages[at] }));
  const reply = await t.storage.call('batchGetTempUrls', { fileList }, { isOtherForm });
  const answered = performance.now();
  return files.map((file, at) => {
    const maxAge = ages[at];
    const url = linkOf(entriesOf(reply.entries ?? [], file.fileId)[0]);
    if (url === undefined) return undefined;
    const lifetime = maxAge === undefined ? USUAL : maxAge * SECONDS[t.settings.maxAgeUnit];
    return { url, file, maxAge, lifetime, asked, answered };
  });
}

export async function expectLinksExpire(t: CheckContext): Promise<void> {
  const { minLinkSeconds } = t.settings;
  const files = await storeAll(t, 'long', 'short', 'middle', 'usual', 'unused');
  for (const seconds of SHORT) {
    const middle = seconds < minLinkSeconds ? seconds + LATER : LONG;
    const links = await askForLinks(t, files, [LONG, seconds, middle, undefined, seconds]);
    if (links[1] === undefined) continue;
    const [otherForm] = await askForLinks(t, [links[1].file], [seconds], true);
    await expectLifetimes(t, links[1], links, otherForm);
    return;
  }
  t.apply(false, `the deployment issues no links for a maxAge of ${SHORT.join(' or ')} s`);
}

/**
 * Expects each link to work for its own lifetime, and no longer.
 *
 * @param unused a link that is as short, and not used until it has expired
 * @param otherForm one from a call in the other form of a request, if the deployment accepts that form too
 */
async function expectLifetimes(
  t: CheckContext,
  short: Link,
  [long, , middle, usual, unused]: readonly (Link | undefined)[],
  otherForm: Link | undefined,
): Promise<void> {
  const end = short.asked + short.lifetime * 1000;
  const waitUntil = (time: number) =>
    wait(Math.max(time - performance.now(), 0), undefined, { signal: t.signal });
  if (usual) t.reach(await works(t, usual), 'a link without maxAge never works');
  await expectAlive(t, short);
  await waitUntil(end - TICK);
  const isAlive = await outlives(t, short, short.lifetime);
  const isMinimum = isAlive && (await isOfMinimum(t, short));
  const late = `a link with maxAge ${short.maxAge} must stop working, but it still works after ${spellAge(short)}`;
  t.expect(!isAlive || isMinimum, late);
  if (isAlive) return;
  const ended = performance.now();
  await waitUntil(end + TICK);
  await expectAlive(t, middle);
  await expectAlive(t, usual);
  // The others were requested at the same time, but a clock that counts whole seconds may have moved on.
  const othersEnd = (otherForm ?? short).answered + short.lifetime * 1000;
  await waitUntil(Math.max(ended, end, othersEnd) + 1.5 * TICK);
  await expectDead(t, unused, 'that was not used before');
  await expectDead(t, otherForm, 'from a call in the other form');
  if (performance.now() - short.asked > (LONG - GRACE) * 1000) return;
  await expectAlive(t, long);
  await askForLinks(t, [short.file], [LONG]);
  await expectDead(t, short, 'to a file that got a new link');
}

/**
 * Returns whether a link works for too long because the deployment grants no shorter lifetime than the minimum:
 * then it ends after the minimum, just like one that is requested for it.
 */
async function isOfMinimum(t: CheckContext, link: Link): Promise<boolean> {
  const { minLinkSeconds } = t.settings;
  if (link.lifetime >= minLinkSeconds) return false;
  const [least] = await askForLinks(t, [link.file], [minLinkSeconds]);
  if (least === undefined || (await outlives(t, link, minLinkSeconds))) return false;
  if (await outlives(t, least, least.lifetime)) return false;
  const wanted = `works for as long as a link with maxAge ${least.maxAge}`;
  t.note(`A link with maxAge ${link.maxAge} ${wanted}.`);
  return true;
}

async function expectAlive(t: CheckContext, link: Link | undefined): Promise<void> {
  if (link === undefined) return;
  const exchange = await t.upload.download(link.url);
  // A response that comes too late proves nothing.
  if (performance.now() > link.asked + link.lifetime * 1000 - TICK) return;
  const age = link.maxAge === undefined ? 'without maxAge' : `with maxAge ${link.maxAge}`;
  const message = `a link ${age} must still work after ${spellAge(link)}, but it does not`;
  t.expect(isFile(exchange, link.file.bytes), message, exchange);
}

async function expectDead(t: CheckContext, link: Link | undefined, which: string): Promise<void> {
  if (link === undefined) return;
  const exchange = await t.upload.download(link.url);
  const message = `a link ${which}, with maxAge ${link.maxAge}, must stop working, but it still works after ${spellAge(link)}`;
  t.expect(!isFile(exchange, link.file.bytes), message, exchange);
}

/** Returns whether a link still works slightly more than this many seconds after it was issued. */
function outlives(t: CheckContext, link: Link, seconds: number): Promise<boolean> {
  const left = (seconds + GRACE) * 1000 - (performance.now() - link.answered);
  return poll(
    () => works(t, link),
    (isAlive) => !isAlive,
    { most: left, every: seconds < 60 ? 250 : 1000 },
  );
}

function spellAge({ asked }: Link): string {
  return `${((performance.now() - asked) / 1000).toFixed(1)} s`;
}

async function works(t: CheckContext, { url, file }: Link): Promise<boolean> {
  return isFile(await t.upload.download(url), file.bytes);
}
