import { StorageError } from '../errors.ts';
import { describeResponse } from './failures.ts';
import { isRecord, parseJson } from './json.ts';

/** A storage response with `data`, and a function that creates the error to throw if the data is invalid. */
export interface StorageResponse {
  readonly data: Record<string, unknown>;
  /** Creates an error for this response. `reason` may contain a code and a message from the response. */
  fail(what: string, reason: { code?: unknown; message?: unknown }): StorageError;
}

/**
 * Reads a storage response, either in the envelope `{ statusCode, body }` or flat. A `code` without `data` is
 * a failure whatever the HTTP status (D20). So is any response that has no `data`, or whose `statusCode` is
 * an error.
 *
 * @throws StorageError if the call failed as a whole
 */
export function readEnvelope(
  result: { data?: unknown; error?: unknown; response: Response },
  what: string,
): StorageResponse {
  const { response } = result;
  const given = result.data ?? result.error;
  const parsed = typeof given === 'string' ? parseJson(given) : given;
  const content: Record<string, unknown> = isRecord(parsed) ? parsed : {};
  const { statusCode, body } = content;
  const fields = isRecord(body) ? body : content;
  const { code, message, data, requestId } = fields;

  const fail: StorageResponse['fail'] = (subject, reason) =>
    new StorageError(describeResponse(response, subject, { ...reason, requestId }));

  const isRefused =
    isRecord(body) && typeof statusCode === 'number' && (statusCode < 200 || statusCode > 299);
  if (response.ok && !isRefused && isRecord(data)) return { data, fail };
  const isSilent = code === undefined && message === undefined;
  throw fail(what, isSilent ? { message: 'the response is malformed' } : fields);
}

/** The `data` in the envelope of a raw storage response. */
type DataOf<Result> = Result extends { data: { body: { data?: infer Data } } }
  ? NonNullable<Data>
  : never;

/**
 * Returns the `data` from the response to a raw storage call, either from the envelope
 * `{ statusCode, body: { data } }` or from the flat form `{ data }` that some deployments send (D20).
 *
 * @param result what `storage.POST` returned
 * @throws StorageError if the call failed as a whole; a `code` without `data` is a failure whatever the
 *   HTTP status
 *
 * @example
 * const { fileList } = unwrapEnvelope(
 *   await storage.POST('/api/v2/envs/{envId}/storages:batchDelete', { body: { fileList: ids } }),
 * );
 */
export function unwrapEnvelope<
  Result extends { data?: unknown; error?: unknown; response: Response },
>(result: Result): DataOf<Result> {
  return readEnvelope(result, 'The storage call failed').data as DataOf<Result>;
}
