import type { KnownUploadErrorCode } from '../generated/contract.gen.ts';
import { BerthError, isOfFamily } from './berth-error.ts';

/** A code of the upload target. The known ones are offered by editors; the list is open. */
export type UploadErrorCode = KnownUploadErrorCode | (string & Record<never, never>);

/**
 * The upload target refused the form. `code` and `requestId` come from its XML `Error` element, which
 * may come with any status, 200 included. Nothing was stored (D30).
 *
 * @example
 * await storage.upload('a.txt', 'hello').catch((error) => {
 *   if (isUploadError(error)) console.error(error.code, error.requestId);
 *   throw error;
 * });
 */
export class UploadError extends BerthError {
  /** Always `UploadError`. */
  override readonly name = 'UploadError';
  declare readonly code: UploadErrorCode | undefined;
}

/**
 * Whether an error is an {@link UploadError}, also of another copy of this package.
 *
 * @example
 * if (isUploadError(error) && error.code === 'EntityTooLarge') showLimit();
 */
export function isUploadError(error: unknown): error is UploadError {
  return isOfFamily(error, 'UploadError');
}
