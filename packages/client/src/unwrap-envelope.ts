import { readEnvelope } from './internal/read-envelope.ts';

/** The `data` in the envelope of a raw storage result, whatever else the envelope holds. */
type DataOf<Result> = Result extends { data: { body: { data?: infer Data } } }
  ? NonNullable<Data>
  : never;

/**
 * The `data` of a raw storage call, from the envelope `{ statusCode, body: { data } }` or from the
 * flat form `{ data }` that some deployments send (D20).
 *
 * @param result what `POST` of a storage client gave
 * @throws StorageError where the call failed as a whole; a `code` without `data` is a failure whatever
 *   the HTTP status
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
