import { STORAGE_ERRORS, type StorageItemCode, UploadError } from '@berth/server-stubs/contract';
import {
  BlobDamagedError,
  BlobExistsError,
  BlobMissingError,
  FileTooLargeError,
  SourceKeptError,
  StoreUnavailableError,
} from './blob-store.ts';

/** Returns the code for an item of a batch for which the store failed. */
export function toItemCode(error: unknown): StorageItemCode {
  if (error instanceof BlobMissingError) return 'STORAGE_FILE_NONEXIST';
  if (error instanceof BlobExistsError) return 'OBJECT_ALREADY_EXIST';
  if (error instanceof FileTooLargeError) return 'INVALID_PARAM';
  const cause = error instanceof SourceKeptError ? error.cause : error;
  return cause instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR';
}

/** Converts a store error to an upload target error (D27). */
export function toUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error;
  if (error instanceof FileTooLargeError) {
    return new UploadError('EntityTooLarge', { message: error.message });
  }
  if (error instanceof BlobDamagedError) {
    const message = 'The file is damaged. Report the request ID to the operator.';
    return new UploadError('InternalError', { cause: error, message });
  }
  if (!(error instanceof StoreUnavailableError)) {
    return new UploadError('InternalError', { cause: error });
  }
  const { retryAfter } = STORAGE_ERRORS.SERVICE_UNAVAILABLE;
  return new UploadError('ServiceUnavailable', { cause: error, retryAfter });
}

/** Returns whether an upload failed in the store. Other errors come from the form, and the router converts them. */
export function isUploadFailure(error: unknown): boolean {
  return error instanceof FileTooLargeError || error instanceof StoreUnavailableError;
}
