import type { Trial } from '../../trial/trial.ts';

/** The file ID of a path where nothing was ever stored. */
export function missingFileId(t: Trial): Promise<string> {
  return t.upload.fileIdOf(t.storage.path(`${t.uniqueName()}.missing`));
}
