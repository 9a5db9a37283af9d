import type { StorageItemCode } from '@berth/server-stubs';
import { rowOf } from '../storage-rows.ts';

/** The entry of a copy that failed. */
export interface CopyFailure {
  readonly code: StorageItemCode;
  readonly message: string;
}

/** A failure with the text of the contract's table, or with one that says more. */
export function toCopyFailure(code: StorageItemCode, message = rowOf(code).message): CopyFailure {
  return { code, message };
}

export function invalidCopy(message: string): CopyFailure {
  return toCopyFailure('INVALID_PARAM', message);
}
