import {
  type ContractErrorOptions,
  STORAGE_ERRORS,
  type StorageItemCode,
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

/** What callers get for an error of the store. */
interface StoreFault {
  /** Code of the item of a batch. */
  readonly item: StorageItemCode;
  /** Code of an upload (D27). Default: `InternalError`, as for any other error. */
  readonly upload?: 'EntityTooLarge' | 'ServiceUnavailable';
  readonly uploadOptions?: ContractErrorOptions;
  /** A batch does not report it to `onError`, because only the caller can fix it. */
  readonly isCallersFault?: true;
  /** The error's own message is sent instead of the message of the code. */
  readonly hasPublicMessage?: true;
  /** Clients should retry a batch that failed completely. */
  readonly isRetryable?: true;
}

const { retryAfter } = STORAGE_ERRORS.SERVICE_UNAVAILABLE;
const DAMAGED = 'The file is damaged. Report the request ID to the operator.';

/** The errors of `blob-store.ts`, except for `SourceKeptError`, whose cause counts. */
const FAULTS: readonly (readonly [new (...values: never[]) => Error, StoreFault])[] = [
  [BlobMissingError, { item: 'STORAGE_FILE_NONEXIST', isCallersFault: true }],
  [BlobExistsError, { item: 'OBJECT_ALREADY_EXIST', isCallersFault: true }],
  [
    FileTooLargeError,
    {
      item: 'INVALID_PARAM',
      upload: 'EntityTooLarge',
      isCallersFault: true,
      hasPublicMessage: true,
    },
  ],
  [
    StoreUnavailableError,
    {
      item: 'SERVICE_UNAVAILABLE',
      upload: 'ServiceUnavailable',
      uploadOptions: { retryAfter },
      isRetryable: true,
    },
  ],
  [BlobDamagedError, { item: 'SYS_ERR', uploadOptions: { message: DAMAGED } }],
];

export function toStoreFault(error: unknown): StoreFault {
  const cause = error instanceof SourceKeptError ? error.cause : error;
  return FAULTS.find(([type]) => cause instanceof type)?.[1] ?? { item: 'SYS_ERR' };
}

/** Converts an error of an upload or a download. */
export function toUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error;
  const { upload = 'InternalError', uploadOptions, hasPublicMessage } = toStoreFault(error);
  return hasPublicMessage
    ? new UploadError(upload, { message: (error as Error).message })
    : new UploadError(upload, { cause: error, ...uploadOptions });
}
