import { StoreUnavailableError } from '../blob-store.ts';

/** S3 statuses for callers without permission or with too many requests; RFC 9110 for the rest. */
const UNAVAILABLE_STATUSES: readonly number[] = [301, 307, 401, 403, 408, 429];
/** Error codes with another status and the same meaning. */
const UNAVAILABLE_NAMES: readonly string[] = [
  'AuthorizationHeaderMalformed',
  'BadDigest',
  'ExpiredToken',
  'IncompleteBody',
  'InvalidToken',
  'NoSuchBucket',
  'RequestTimeout',
  'TokenRefreshRequired',
];

/** Returns the status of the store's response, or `undefined` if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';
}

/**
 * Returns whether a call failed because of its condition: the object already exists, or has a different
 * version.
 */
export function isRefusedCondition(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Converts an SDK error; only errors caused by our own mistakes are kept as is. */
function toS3Error(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailableError) return error;
  const status = statusOf(error);
  if (status === undefined || isUnavailable(status, error.name)) {
    // A store's messages may quote what it was sent; names and numbers do not.
    const { code } = error as NodeJS.ErrnoException;
    const reason = [code ?? error.name, status].filter(Boolean).join(', ');
    return new StoreUnavailableError(`Cannot use the object store: ${reason}.`, {
      cause: error,
    });
  }
  return error;
}

function isUnavailable(status: number, name: string): boolean {
  return status >= 500 || UNAVAILABLE_STATUSES.includes(status) || UNAVAILABLE_NAMES.includes(name);
}

export async function withS3Errors<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await call();
  } catch (error) {
    signal?.throwIfAborted();
    throw toS3Error(error);
  }
}
