import type { Trial } from '../../trial/trial.ts';
import type { StoredFile } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';

/** Lifetimes that are tried, in seconds, the shortest first: which ones a deployment takes is its own (D22). */
const SHORT = [2, 5, 15, 60];
const LONG = 120;
/** The longest that a deployment may give instead of less, in seconds. */
const LEAST = 60;
/** How much later than its `maxAge` a link may stop, in seconds. */
const GRACE = 10;
const SECONDS = { ms: 0.001, s: 1, min: 60 };

export const stLinksExpire = defineCheck('ST-LINKS-EXPIRE', needsFiles, async (t: Trial) => {
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
    t.expect(isThere, `a link with maxAge ${long.maxAge} must not stop after ${spellAge(started)}`);
    return;
  }
  t.apply(false, `the deployment gives no link with a maxAge of ${SHORT.join(', ')} s`);
});

/**
 * Whether a link works for longer than it should because the deployment gives none for less than a minute:
 * then it ends after a minute, and so does one that is asked for a minute.
 */
async function isOfMinimum(t: Trial, link: Link, { fileId, bytes }: StoredFile): Promise<boolean> {
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

async function askForLink(t: Trial, fileID: string, seconds: number): Promise<Link | undefined> {
  const maxAge = t.storage.maxAge(seconds);
  const asked = performance.now();
  const reply = await t.storage.call('batchGetTempUrls', { fileList: [{ fileID, maxAge }] });
  const { code, tempFileURL: url } = Object(Object(reply.data?.fileList)[0]);
  if (code !== 'SUCCESS' || !URL.canParse(String(url))) return undefined;
  return { url, maxAge, lifetime: maxAge * SECONDS[t.settings.maxAgeUnit], asked };
}

/** Whether a link still works when it has had so many seconds, and some more. */
function outlives(t: Trial, link: Link, bytes: Buffer, seconds: number): Promise<boolean> {
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
async function works(t: Trial, { url }: Link, bytes: Buffer): Promise<boolean> {
  const { received } = await t.upload.download(url);
  return received.status >= 200 && received.status <= 299 && received.body.equals(bytes);
}
