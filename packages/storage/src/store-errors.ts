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

/** What callers get for an error of the store. */
interface StoreFault {
  readonly itemCode: ItemErrorCode;
  /** Code of an upload or a download: the upload target's table (D27) has none for a missing file. */
  readonly uploadCode: keyof typeof UPLOAD_ERRORS | 'STORAGE_FILE_NONEXIST';
  /** What differs from the contract's table. */
  readonly details?: Pick<ContractErrorOptions, 'message' | 'status'>;
  /** It is not reported, because only the caller can fix it. */
  readonly isCallersFault?: true;
}

const INTERNAL = { itemCode: 'SYS_ERR', uploadCode: 'InternalError' } as const;

export function toStoreFault(error: unknown): StoreFault {
  if (error instanceof BlobMissingError) {
    const code = 'STORAGE_FILE_NONEXIST';
    const details = { status: 404, message: STORAGE_ITEM_ERRORS[code].message };
    return { itemCode: code, uploadCode: code, details, isCallersFault: true };
  }
  if (error instanceof BlobExistsError) {
    return { ...INTERNAL, itemCode: 'OBJECT_ALREADY_EXIST', isCallersFault: true };
  }
  if (error instanceof FileTooLargeError) {
    const details = { message: error.message };
    const codes = { itemCode: 'INVALID_PARAM', uploadCode: 'EntityTooLarge' } as const;
    return { ...codes, details, isCallersFault: true };
  }
  if (error instanceof StoreUnavailableError) {
    return { itemCode: 'SERVICE_UNAVAILABLE', uploadCode: 'ServiceUnavailable' };
  }
  if (error instanceof BlobDamagedError) {
    const message = 'The file is damaged. Report the request ID to the operator.';
    return { ...INTERNAL, details: { message } };
  }
  if (error instanceof SourceKeptError) {
    const { itemCode, uploadCode } = toStoreFault(error.cause);
    return { itemCode, uploadCode, details: { message: error.message } };
  }
  return INTERNAL;
}

/** Converts an error of an upload or a download, and reports it unless only the caller can fix it. */
export function toUploadError(
  error: unknown,
  requestId: string,
  onError: (error: unknown, requestId: string) => void,
): UploadError {
  if (error instanceof UploadError) return error;
  const { uploadCode, details, isCallersFault } = toStoreFault(error);
  if (!isCallersFault) onError(error, requestId);
  return new UploadError(uploadCode, { cause: error, ...details });
}
