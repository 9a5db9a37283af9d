import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from '../http/caller.ts';
import type { Entry } from '../http/read-response.ts';
import { CallContext } from './call-context.ts';
import { inParallel } from './check.ts';
import { toItems } from './files.ts';
import type { Run } from './run.ts';

/** Smaller than any reasonable batch limit. */
const BATCH_SIZE = 20;
/** Maximum duration of the clean-up, in milliseconds, apart from the time that a limited rate takes. */
const MAX_CLEANUP = 60_000;
const CALLS_PER_FILE = 2;
/** Pauses between rounds: an aborted upload may still be in progress. */
const PAUSES = [0, 200, 1000];
const CONCURRENCY = 16;

/** Removes everything that a run has stored, even after an aborted run. Returns where acknowledged files may remain. */
export async function removeLeftovers(run: Run): Promise<string[]> {
  let paths = [...run.leftovers.keys()];
  if (paths.length === 0) return [];
  const { onNotice, rate = Number.POSITIVE_INFINITY } = run.settings;
  const pacingMs = Math.ceil((1000 * CALLS_PER_FILE * paths.length) / rate);
  const signal = AbortSignal.timeout(MAX_CLEANUP + pacingMs);
  // The target may be responding again.
  run.pace.reset();
  const caller = run.caller.with({ signal });
  for (const pause of PAUSES) {
    if (paths.length > 0) await wait(pause);
    const batches: string[][] = [];
    while (paths.length > 0) batches.push(paths.splice(0, BATCH_SIZE));
    const left = await inParallel(batches, CONCURRENCY, (batch) => removeBatch(run, caller, batch));
    paths = left.flat();
  }
  paths = paths.filter((path) => run.acknowledged.has(path));
  if (paths.length > 0) {
    onNotice(`files may still exist in ${run.folder}; the report lists ${paths.length}`);
  }
  return paths;
}

/** Removes the files at some paths. Returns those that still exist, or may. */
async function removeBatch(run: Run, caller: Caller, paths: readonly string[]) {
  const { files, storage } = new CallContext(run, undefined, caller);
  const ids = new Map<string, string>();
  for (const path of paths) {
    const id = run.leftovers.get(path) ?? (await files.fileIdOf(path).catch(() => undefined));
    if (id !== undefined) ids.set(path, id);
  }
  const list = async (operation: string, fileList: unknown[]): Promise<Map<unknown, Entry>> => {
    const reply = await storage.call(operation, { fileList }).catch(() => undefined);
    const entries = reply?.rejected === false ? (reply.entries ?? []) : [];
    return new Map(entries.map((entry) => [entry.fileID, entry]));
  };
  const deleted = await list('batchDelete', [...ids.values()]);
  const links = await list('batchGetTempUrls', toItems([...ids.values()]));
  return paths.filter((path) => {
    const id = ids.get(path);
    const { code } = links.get(id) ?? {};
    if (code === 'SUCCESS') run.acknowledged.add(path);
    return code === undefined ? deleted.get(id)?.code !== 'SUCCESS' : code === 'SUCCESS';
  });
}
