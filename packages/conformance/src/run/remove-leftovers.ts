import { setTimeout as wait } from 'node:timers/promises';
import { CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { retryIfClosed } from '../http/connection.ts';
import { Pace } from '../http/pace.ts';
import { linkOf } from '../validation/read-storage.ts';

/** Smaller than any reasonable batch limit. */
const BATCH_SIZE = 20;
/** Maximum duration of the clean-up, in milliseconds, apart from the time that a limited rate takes. */
const MAX_DURATION = 60_000;
const CALLS_PER_FILE = 3;
/** Pauses between rounds: an aborted upload may still be in progress. */
const PAUSES = [0, 200, 1000];
const CONCURRENCY = 16;
const ATTEMPTS = 3;
const MAX_NAMED = 5;

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
  let files: File[] = [...ended.leftovers].map(([path, fileId]) => ({ path, fileId }));
  if (files.length === 0) return [];
  const { onNotice, rate = Number.POSITIVE_INFINITY } = ended.settings;
  const signal = AbortSignal.timeout(
    MAX_DURATION + Math.ceil((1000 * CALLS_PER_FILE * files.length) / rate),
  );
  // The target may have recovered from what the run learned about it.
  const run: Run = { ...ended, signal, pace: new Pace(() => {}, rate) };
  const context = new CheckContext(run, 'clean-up');
  for (const pause of PAUSES) {
    if (files.length > 0) await wait(pause);
    files = await removeAll(context, files);
  }
  const paths = files.map(({ path }) => path);
  if (paths.length > 0) {
    const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
    const named = paths.slice(0, MAX_NAMED).join(', ');
    onNotice(`files that the run stored may still exist: ${named}${more}`);
  }
  return paths;
}

/** Returns `undefined` if there is no response. */
function tryCall<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  return retryIfClosed(call, ATTEMPTS).catch(() => undefined);
}

/** Runs one round; returns what still exists, or may. */
async function removeAll(context: CheckContext, files: readonly File[]): Promise<File[]> {
  const found = await inParallel(files, CONCURRENCY, async ({ path, fileId }) => ({
    path,
    fileId: fileId ?? (await tryCall(() => context.files.fileIdOf(path))),
  }));
  const known = found.filter(({ fileId }) => fileId !== undefined);
  const batches: File[][] = [];
  for (let start = 0; start < known.length; start += BATCH_SIZE) {
    batches.push(known.slice(start, start + BATCH_SIZE));
  }
  const left = await inParallel(batches, CONCURRENCY, (batch) => removeBatch(context, batch));
  return [...found.filter(({ fileId }) => fileId === undefined), ...left.flat()];
}

async function removeBatch(
  { storage, files: stored }: CheckContext,
  files: readonly File[],
): Promise<File[]> {
  const ids = files.map(({ fileId }) => fileId);
  const list = async (operation: 'batchDelete' | 'batchGetTempUrls', fileList: unknown[]) => {
    const reply = await tryCall(() => storage.call(operation, { fileList }));
    const entries = reply?.refused === false ? (reply.entries ?? []) : [];
    return new Map(entries.map((entry) => [entry.fileID, entry]));
  };
  const deleted = await list('batchDelete', ids);
  const items = ids.map((fileID) => ({ fileID }));
  const links = await list('batchGetTempUrls', items);
  const isLeft = async ({ fileId }: File): Promise<boolean> => {
    const entry = links.get(fileId);
    if (entry?.code === undefined) return deleted.get(fileId)?.code !== 'SUCCESS';
    const link = linkOf(entry);
    if (link === undefined) return false;
    // A link alone does not prove that the file exists.
    const exchange = await tryCall(() => stored.download(link));
    return exchange === undefined || exchange.received.status === 200;
  };
  const areLeft = await Promise.all(files.map(isLeft));
  return files.filter((_, index) => areLeft[index]);
}
