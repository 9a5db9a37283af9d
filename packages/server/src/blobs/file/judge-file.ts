import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BlobDamagedError, StoreUnavailableError } from '../blob-errors.ts';
import { diskCodeOf } from './disk-error.ts';
import type { Layout } from './layout.ts';
import { type OpenedFile, openFile } from './open-file.ts';
import { toBlobKey } from './to-disk-path.ts';
import { toOpenBlob } from './to-open-blob.ts';

/** What a look at one file has shown. */
export interface Judgement {
  readonly bytes: number;
  readonly problem?: { readonly kind: 'foreign' | 'damaged'; readonly detail: string };
}

/**
 * Reads a file to its end. Undefined where it was deleted in the meantime.
 *
 * @param path the name of the file, which is judged too
 * @param place where the file stands now
 */
export async function judgeFile(
  { files }: Layout,
  path: string,
  place = path,
): Promise<Judgement | undefined> {
  if (toBlobKey(relative(files, path)) === undefined) {
    const detail = 'No file of the store has this name.';
    return { bytes: 0, problem: { kind: 'foreign', detail } };
  }
  let opened: OpenedFile | undefined;
  try {
    opened = await openFile(place);
  } catch (error) {
    const isBad = error instanceof BlobDamagedError || error instanceof StoreUnavailableError;
    if (!isBad) throw error;
    return { bytes: 0, problem: { kind: 'damaged', detail: error.message } };
  }
  if (opened === undefined) return undefined;
  const { size: bytes, etag } = opened.info;
  const hash = createHash('md5');
  try {
    await pipeline(toOpenBlob(opened).read(), hash);
  } catch (error) {
    // A bad place on the disk is what is looked for, and no reason to stop.
    if (diskCodeOf(error) !== 'EIO') throw error;
    return { bytes: 0, problem: { kind: 'damaged', detail: 'The disk cannot read it (EIO).' } };
  }
  const md5 = hash.digest('hex');
  if (md5 === etag) return { bytes };
  const detail = `The content has the MD5 ${md5} instead of ${etag}.`;
  return { bytes, problem: { kind: 'damaged', detail } };
}
