import { StoreUnavailableError } from '../blob-store.ts';

/** What S3 answers to a caller that may not, or that comes too often; RFC 9110 for the rest. */
const UNAVAILABLE_STATUSES: readonly number[] = [301, 307, 401, 403, 408, 429];
/** Answers with another status that say the same. */
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

/** Status of the store's answer; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/** Whether the store said that there is no such object. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';
}

/** Whether the condition of a call did not hold: there is an object, or another one. */
export function isRefusedCondition(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** A failure of the SDK as this store tells it: only what means a mistake of ours stays as it is. */
function toS3Error(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailableError) return error;
  const status = statusOf(error);
  if (status === undefined || isUnavailable(status, error.name)) {
    // Messages of stores may quote what they were sent: names and numbers do not.
    const { code } = error as NodeJS.ErrnoException;
    const reason = [code ?? error.name, status].filter(Boolean).join(', ');
    return new StoreUnavailableError(`The object store cannot be used: ${reason}.`, {
      cause: error,
    });
  }
  return error;
}

function isUnavailable(status: number, name: string): boolean {
  return status >= 500 || UNAVAILABLE_STATUSES.includes(status) || UNAVAILABLE_NAMES.includes(name);
}

/** Does a call of the SDK; whoever gave up is told so, and not what it led to. */
export async function withS3Errors<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await call();
  } catch (error) {
    signal?.throwIfAborted();
    throw toS3Error(error);
  }
}
