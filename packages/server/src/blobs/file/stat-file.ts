import type { BlobInfo } from '../blob-store.ts';
import { openFile } from './open-file.ts';

/**
 * What the trailer of a file says. Undefined where there is none.
 *
 * @throws BlobDamagedError if it is no file of the store, or a damaged one
 */
export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const opened = await openFile(path);
  await opened?.handle.close();
  return opened?.info;
}
