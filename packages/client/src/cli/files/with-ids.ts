import type { StorageClient } from '../../storage-client.ts';
import { inParallel } from '../in-parallel.ts';
import type { Outcome } from '../outcome.ts';
import { toFileId } from './to-file-id.ts';

/** What a list operation tells of one file. */
interface Told {
  readonly fileID: string;
  readonly url?: string | undefined;
  readonly error?: Error | undefined;
}

/** Finds the IDs of files, does the work of those that have one, and tells what became of each. */
export async function withIds(
  storage: StorageClient,
  files: readonly string[],
  signal: AbortSignal,
  work: (fileIDs: string[]) => Promise<readonly Told[]>,
): Promise<Outcome[]> {
  const ids = await inParallel(files, (file) => toFileId(storage, file, signal));
  const known = ids.flatMap((id) => (id.status === 'fulfilled' ? [id.value] : []));
  const told = (await work(known)).values();
  return files.map((file, index) => {
    const id = ids[index];
    if (id?.status === 'rejected') return { file, error: id.reason };
    const { error, url, fileID } = told.next().value as Told;
    return error ? { file, error } : { file, result: url, more: { fileID, url } };
  });
}
