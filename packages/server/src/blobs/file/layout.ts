import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { BlobKey } from '../blob-store.ts';
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
}

/** @param root absolute, without symbolic links */
export function createLayout(root: string): Layout {
  const [files, tmp] = [join(root, 'files'), join(root, 'tmp')];
  return {
    root,
    files,
    tmp,
    fileOf: (key) => join(files, toDiskPath(key)),
    newTmpFile: () => join(tmp, randomUUID()),
  };
}
