import { createTrial } from '../trial/create-trial.ts';
import type { Run } from './run.ts';

/** Smaller than any sensible limit of a batch. */
const BATCH = 20;
/** Longest clean-up, in milliseconds. */
const LONGEST = 60_000;

/**
 * Removes everything that a run has stored, also after a run that was ended early.
 *
 * @returns the paths that could not be removed
 */
export async function removeLeftovers(ended: Run): Promise<string[]> {
  const run: Run = { ...ended, signal: AbortSignal.timeout(LONGEST) };
  const { storage, upload } = createTrial(run, 'clean-up', '');
  const files = await Promise.all(
    run.leftovers.list().map(async ({ path, fileId }) => ({
      path,
      fileId: fileId ?? (await upload.fileIdOf(path).catch(() => undefined)),
    })),
  );
  const left = files.filter(({ fileId }) => fileId === undefined).map(({ path }) => path);
  const known = files.filter(({ fileId }) => fileId !== undefined);
  for (let start = 0; start < known.length; start += BATCH) {
    const batch = known.slice(start, start + BATCH);
    const fileList = batch.map(({ fileId }) => fileId);
    const answer = await storage.call('batchDelete', { fileList }).catch(() => undefined);
    if (answer === undefined || answer.refused) left.push(...batch.map(({ path }) => path));
  }
  return left;
}
