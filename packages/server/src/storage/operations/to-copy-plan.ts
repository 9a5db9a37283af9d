import type { StorageInput } from '@berth/server-stubs';
import { FilePathError, toCopyPath } from '../../blobs/file-path.ts';
import { type CopyFailure, invalidCopy } from './copy-failure.ts';

/** One copy whose paths may be used. */
export interface Copy {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
  /** Whether the source is removed afterwards. */
  readonly move: boolean;
}

/** What is to be done for an item, or why nothing can be. */
export type CopyPlan = Copy | CopyFailure;

type Item = StorageInput<'batchCopyFile'>['fileList'][number];

/** D24: "source ≠ destination". Of the source: `overwrite` "default true", `removeOriginal` "default false". */
export function toCopyPlan({
  srcPath,
  dstPath,
  overwrite = true,
  removeOriginal = false,
}: Item): CopyPlan {
  const from = toPath('srcPath', srcPath);
  if (typeof from !== 'string') return from;
  const to = toPath('dstPath', dstPath);
  if (typeof to !== 'string') return to;
  if (from === to) return invalidCopy('dstPath must not be the same file as srcPath.');
  return { from, to, overwrite, move: removeOriginal };
}

function toPath(field: string, given: string): string | CopyFailure {
  try {
    return toCopyPath(given);
  } catch (error) {
    if (!(error instanceof FilePathError)) throw error;
    return invalidCopy(`${field} ${error.reason}`);
  }
}
