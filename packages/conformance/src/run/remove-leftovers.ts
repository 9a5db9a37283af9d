import { setTimeout as wait } from 'node:timers/promises';
import { CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { insist } from '../http/connection.ts';
import { Pace } from '../http/pace.ts';
import { linkOf } from '../validation/read-storage.ts';

/** Smaller than any reasonable batch limit. */
const BATCH = 20;
/** Maximum duration of the clean-up, in milliseconds, apart from the time that a limited rate takes. */
const LONGEST = 60_000;
const CALLS_PER_FILE = 3;
/** Pauses between rounds: an aborted upload may still be in progress. */
const PAUSES = [0, 200, 1000];
const AT_ONCE = 16;
const ATTEMPTS = 3;
/** Maximum number of paths that a notice names. */
const MOST_NAMED = 5;

interface File {
  path: string;
  fileId: string | undefined;
}

/**
 * Removes everything that a run has stored, even after an aborted run, and verifies that it no longer exists.
 *
 * @returns the paths that could not be removed
 */
export async function removeLeftovers(ended: Run): Promise<string[]> {
  const listed = [...ended.leftovers].map(([path, fileId]) => ({ path, fileId }));
  if (listed.length === 0) return [];
  const { onNotice, rate } = ended.settings;
  const calls = CALLS_PER_FILE * listed.length;
  const signal = AbortSignal.timeout(LONGEST + (rate === undefined ? 0 : (1000 * calls) / rate));
  // The target may have recovered from what the run learned about it.
  const run: Run = { ...ended, signal, pace: new Pace(() => {}, rate) };
  const context = new CheckContext(run, 'clean-up');
  let left: File[] = listed;
  for (const pause of PAUSES) {
    if (left.length > 0) await wait(pause);
    left = await removeAll(context, await findFileIds(context, left));
  }
  if (left.length > 0) {
    const named = left.slice(0, MOST_NAMED).map(({ path }) => path);
    const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
    onNotice(`files that the run stored may still exist: ${named.join(', ')}${more}`);
  }
  return left.map(({ path }) => path);
}

async function findFileIds({ upload }: CheckContext, files: readonly File[]): Promise<File[]> {
  return inParallel(files, AT_ONCE, async ({ path, fileId }) => ({
    path,
    fileId: fileId ?? (await ask(() => upload.fileIdOf(path))),
  }));
}

/** Returns `undefined` if there is no response. */
function ask<Made>(call: () => Promise<Made>): Promise<Made | undefined> {
  return insist(call, ATTEMPTS).catch(() => undefined);
}

/** Runs one round; returns what still exists, or may. */
async function removeAll(context: CheckContext, files: readonly File[]): Promise<File[]> {
  const known = files.filter(({ fileId }) => fileId !== undefined);
  const count = Math.ceil(known.length / BATCH);
  const batches = Array.from({ length: count }, (_, index) =>
    known.slice(index * BATCH, (index + 1) * BATCH),
  );
  const left = await inParallel(batches, AT_ONCE, (batch) => removeBatch(context, batch));
  return [...files.filter(({ fileId }) => fileId === undefined), ...left.flat()];
}

async function removeBatch(
  { storage, upload }: CheckContext,
  files: readonly File[],
): Promise<File[]> {
  const ids = files.map(({ fileId }) => fileId);
  const list = async (operation: 'batchDelete' | 'batchGetTempUrls', fileList: unknown[]) => {
    const reply = await ask(() => storage.call(operation, { fileList }));
    const entries = reply?.refused === false ? (reply.entries ?? []) : [];
    return new Map(entries.map((entry) => [entry.fileID, entry]));
  };
  const deleted = await list('batchDelete', ids);
  const links = await list(
    'batchGetTempUrls',
    ids.map((fileID) => ({ fileID })),
  );
  const isLeft = async ({ fileId }: File): Promise<boolean> => {
    const entry = links.get(fileId);
    if (entry?.code === undefined) return deleted.get(fileId)?.code !== 'SUCCESS';
    const link = linkOf(entry);
    if (link === undefined) return false;
    // A link alone does not prove that the file exists.
    const exchange = await ask(() => upload.download(link));
    return exchange === undefined || exchange.received.status === 200;
  };
  const areLeft = await Promise.all(files.map(isLeft));
  return files.filter((_, index) => areLeft[index]);
}
