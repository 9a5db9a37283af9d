import {
  type ContractErrorOptions,
  type STORAGE_ERRORS,
  STORAGE_ITEM_ERRORS,
  type UPLOAD_ERRORS,
  UploadError,
} from '@berth/server-stubs/contract';
import {
  BlobDamagedError,
  BlobExistsError,
  BlobMissingError,
  FileTooLargeError,
  SourceKeptError,
  StoreUnavailableError,
} from './blob-store.ts';

/** Code of an item of a batch that failed. */
export type ItemErrorCode = keyof typeof STORAGE_ERRORS | keyof typeof STORAGE_ITEM_ERRORS;

/** What callers get for an error, and whose error it is. */
export interface StoreFault {
  /** Code of an item of a batch, and of a call that failed for all of its items. */
  readonly itemCode: ItemErrorCode;
  /** Code of an upload or a download: the upload target's table (D27) has none for a missing file. */
  readonly uploadCode: keyof typeof UPLOAD_ERRORS | 'STORAGE_FILE_NONEXIST';
  /** The error, and what overrides the contract's table. */
  readonly details: Pick<ContractErrorOptions, 'cause' | 'message' | 'status'>;
  /** Caller errors are not reported to `onError`. An unknown error may be a bug. */
  readonly origin: 'caller' | 'store' | 'unknown';
}

const INTERNAL = { itemCode: 'SYS_ERR', uploadCode: 'InternalError' } as const;

export function toStoreFault(cause: unknown): StoreFault {
  if (cause instanceof BlobMissingError) {
    const code = 'STORAGE_FILE_NONEXIST';
    const details = { cause, status: 404, message: STORAGE_ITEM_ERRORS[code].message };
    return { itemCode: code, uploadCode: code, details, origin: 'caller' };
  }
  if (cause instanceof BlobExistsError) {
    return { ...INTERNAL, itemCode: 'OBJECT_ALREADY_EXIST', details: { cause }, origin: 'caller' };
  }
  if (cause instanceof FileTooLargeError) {
    const details = { cause, message: cause.message };
    const codes = { itemCode: 'INVALID_PARAM', uploadCode: 'EntityTooLarge' } as const;
    return { ...codes, details, origin: 'caller' };
  }
  if (cause instanceof StoreUnavailableError) {
    const codes = { itemCode: 'SERVICE_UNAVAILABLE', uploadCode: 'ServiceUnavailable' } as const;
    return { ...codes, details: { cause }, origin: 'store' };
  }
  if (cause instanceof BlobDamagedError) {
    const message = 'The file is damaged. Report the request ID to the operator.';
    return { ...INTERNAL, details: { cause, message }, origin: 'store' };
  }
  if (cause instanceof SourceKeptError) {
    const details = { cause, message: cause.message };
    return { ...toStoreFault(cause.cause), details, origin: 'store' };
  }
  return { ...INTERNAL, details: { cause }, origin: 'unknown' };
}

/** Converts an error of an upload or a download, and reports it unless the response tells the caller what to fix. */
export function toUploadError(
  error: unknown,
  requestId: string,
  onError: (error: unknown, requestId: string) => void,
): UploadError {
  if (error instanceof UploadError) return error;
  const { uploadCode, details, origin } = toStoreFault(error);
  if (origin !== 'caller' || uploadCode === INTERNAL.uploadCode) onError(error, requestId);
  return new UploadError(uploadCode, details);
}
