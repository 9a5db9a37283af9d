import type { Entry } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/** Deletes; where the answer has not one entry for each, the check is not reached. */
export function deleteFiles(t: Trial, ...fileIds: string[]): Promise<Entry[]> {
  return t.storage.list('batchDelete', fileIds);
}
