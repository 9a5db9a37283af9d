import type { KnownStorageErrorCode } from '../generated/contract.gen.ts';
import { BerthError, isOfFamily } from './berth-error.ts';

/** A code of the storage API. The known ones are offered by editors; the list is open. */
export type StorageErrorCode = KnownStorageErrorCode | (string & Record<never, never>);

/**
 * A storage call that failed, as a whole or for its one file, or a download whose link gave no file.
 * The status alone says little: a failed file comes with status 200 (D20, D30).
 *
 * @example
 * await storage.delete(fileID).catch((error) => {
 *   if (!isStorageError(error) || error.code !== 'STORAGE_FILE_NONEXIST') throw error;
 * });
 */
export class StorageError extends BerthError {
  /** Always `StorageError`. */
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode | undefined;
}

/**
 * Whether an error is a {@link StorageError}, also of another copy of this package.
 *
 * @example
 * if (isStorageError(error)) console.error(error.code);
 */
export function isStorageError(error: unknown): error is StorageError {
  return isOfFamily(error, 'StorageError');
}
