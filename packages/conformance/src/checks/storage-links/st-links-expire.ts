import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';

/** Shortest lifetimes that are tried, in seconds. */
const SHORT = [2, 5, 15];
const LONG = 120;
/** How much later than its `maxAge` a link may stop, in seconds. */
const GRACE = 10;
const SECONDS = { ms: 0.001, s: 1, min: 60 };

export const stLinksExpire = defineCheck('ST-LINKS-EXPIRE', needsFiles, async (t: Trial) => {
  const file = await t.upload.store('short.txt');
  const other = await t.upload.store('long.txt');
  const long = await askForLink(t, other.fileId, t.storage.maxAge(LONG));
  t.reach(long !== undefined, 'no link with a long maxAge is given');
  for (const seconds of SHORT) {
    const maxAge = t.storage.maxAge(seconds);
    const link = await askForLink(t, file.fileId, maxAge);
    if (link === undefined) continue;
    const lifetime = maxAge * SECONDS[t.settings.maxAgeUnit];
    const asked = performance.now();
    t.reach(await works(t, link, file.bytes), `a link with maxAge ${maxAge} never works`);
    const isAlive = await poll(
      () => works(t, link, file.bytes),
      (alive) => !alive,
      { most: (lifetime + GRACE) * 1000, every: 250 },
    );
    const after = ((performance.now() - asked) / 1000).toFixed(1);
    const late = `a link with maxAge ${maxAge} must stop working, and it still works after ${after} s`;
    t.expect(!isAlive, late);
    const stillWorks = `a link with maxAge ${t.storage.maxAge(LONG)} must not stop after ${after} s`;
    t.expect(await works(t, long, other.bytes), stillWorks);
    return;
  }
  t.reach(false, `no link with a maxAge of ${SHORT.join(', ')} s is given`);
});

async function askForLink(t: Trial, fileID: string, maxAge: number): Promise<string | undefined> {
  const reply = await t.storage.call('batchGetTempUrls', { fileList: [{ fileID, maxAge }] });
  const { code, tempFileURL } = Object(Object(reply.data?.fileList)[0]);
  return code === 'SUCCESS' && URL.canParse(String(tempFileURL)) ? String(tempFileURL) : undefined;
}

/** Whether a link returns the file. */
async function works(t: Trial, link: string, bytes: Buffer): Promise<boolean> {
  const { received } = await t.upload.download(link);
  return received.status >= 200 && received.status <= 299 && received.body.equals(bytes);
}
