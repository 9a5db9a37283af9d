import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BlobMissingError } from '../blob-errors.ts';
import type { BlobKey } from '../blob-store.ts';
import { assertRealFolder } from './folders.ts';
import { toDiskPath } from './to-disk-path.ts';

/** Places below the root of a store. Both folders stand on one disk, for files are renamed between them. */
export interface Layout {
  readonly root: string;
  /** The visible files, each whole. */
  readonly files: string;
  /** What is being written. */
  readonly tmp: string;
  fileOf(key: BlobKey): string;
  newTmpFile(): string;
  /** Temporary files of uploads that this process has under way. */
  readonly uploads: Set<string>;
}

/** @param root absolute, without symbolic links */
export function createLayout(root: string): Layout {
  const [files, tmp] = [join(root, 'files'), join(root, 'tmp')];
  return {
    root,
    files,
    tmp,
    fileOf: (key) => join(files, toDiskPath(key)),
    uploads: new Set(),
    newTmpFile: () => join(tmp, randomUUID()),
  };
}

/** That there is no file of this key; a store whose folder is gone cannot say so, and is unavailable. */
export async function toMissing({ files }: Layout, key: BlobKey): Promise<BlobMissingError> {
  await assertRealFolder(files);
  return new BlobMissingError(key);
}
