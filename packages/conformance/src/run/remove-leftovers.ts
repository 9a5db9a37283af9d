import { setTimeout as wait } from 'node:timers/promises';
import { CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { createHealth, NetworkFault } from '../http/health.ts';
import { createPace } from '../http/pace.ts';

/** Smaller than any sensible limit of a batch. */
const BATCH = 20;
/** Longest clean-up, in milliseconds. */
const LONGEST = 60_000;
/** Pauses between the turns: an upload that was given up may still be under way. */
const PAUSES = [0, 200, 1000];
/** Calls at the same time. */
const AT_ONCE = 16;
/** How often a call is made. */
const ATTEMPTS = 3;
/** Paths that a notice names. */
const MOST_NAMED = 5;

interface File {
  path: string;
  fileId: string | undefined;
}

/**
 * Removes everything that a run has stored, also after a run that was ended early, and looks whether it
 * is gone.
 *
 * @returns the paths that could not be removed
 */
export async function removeLeftovers(ended: Run): Promise<string[]> {
  const listed = ended.leftovers.list();
  if (listed.length === 0) return [];
  const { onNotice } = ended.settings;
  const signal = AbortSignal.timeout(LONGEST);
  // What the run has learnt about a target that was in trouble may be over.
  const run: Run = { ...ended, signal, pace: createPace(() => {}), health: createHealth() };
  const context = new CheckContext(run, 'clean-up');
  let left: File[] = listed;
  for (const pause of PAUSES) {
    if (left.length > 0) await wait(pause);
    left = await removeAll(context, await findFileIds(context, left));
  }
  if (left.length > 0) {
    const named = left.slice(0, MOST_NAMED).map(({ path }) => path);
    const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
    onNotice(`what the run has stored may still be there: ${named.join(', ')}${more}`);
  }
  return left.map(({ path }) => path);
}

function findFileIds({ upload }: CheckContext, files: readonly File[]): Promise<File[]> {
  return mapSome(files, async ({ path, fileId }) => ({
    path,
    fileId: fileId ?? (await insist(() => upload.fileIdOf(path))),
  }));
}

/** Deals with all of them, a few at the same time. */
async function mapSome<From, To>(
  items: readonly From[],
  deal: (item: From) => Promise<To>,
): Promise<To[]> {
  const waiting = [...items];
  const dealt: To[] = [];
  const work = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) dealt.push(await deal(item));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return dealt;
}

/** Makes a call again where its connection breaks; `undefined` where that does not help. */
async function insist<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof NetworkFault) || error.code !== 'ECONNRESET') return undefined;
    }
  }
  return undefined;
}

/** One turn; returns what is still there, or may be. */
async function removeAll(context: CheckContext, files: readonly File[]): Promise<File[]> {
  const left = files.filter(({ fileId }) => fileId === undefined);
  const known = files.filter(({ fileId }) => fileId !== undefined);
  const batches = Array.from({ length: Math.ceil(known.length / BATCH) }, (_, index) =>
    known.slice(index * BATCH, (index + 1) * BATCH),
  );
  left.push(...(await mapSome(batches, (batch) => removeBatch(context, batch))).flat());
  return left;
}

async function removeBatch(
  { storage, upload }: CheckContext,
  files: readonly File[],
): Promise<File[]> {
  const ids = files.map(({ fileId }) => fileId);
  const ask = async (operation: 'batchDelete' | 'batchGetTempUrls', fileList: unknown[]) => {
    const reply = await insist(() => storage.call(operation, { fileList }));
    const entries = reply?.refused === false ? reply.data?.fileList : undefined;
    return new Map([entries ?? []].flat().map((entry) => [Object(entry).fileID, Object(entry)]));
  };
  const deleted = await ask('batchDelete', ids);
  const links = await ask(
    'batchGetTempUrls',
    ids.map((fileID) => ({ fileID })),
  );
  const isLeft = async (id: string | undefined): Promise<boolean> => {
    const { code, tempFileURL } = links.get(id) ?? {};
    if (code === undefined) return deleted.get(id)?.code !== 'SUCCESS';
    if (code !== 'SUCCESS' || !URL.canParse(String(tempFileURL))) return false;
    // A link alone does not say that there is something behind it.
    const exchange = await insist(() => upload.download(String(tempFileURL)));
    return exchange === undefined || exchange.received.status === 200;
  };
  const answers = await Promise.all(ids.map(isLeft));
  return files.filter((_, index) => answers[index]);
}
