import { parseJson } from './body.ts';
import type { RawResult } from './calls.ts';
import { BerthError } from './errors.ts';
import { retryOfStorage } from './retry-rules.ts';

export interface StorageResponse {
  readonly data: Fields;
  /** Creates the error for a part of the data, with a `code` and a `message` if it contains them. */
  readonly toStorageError: (summary: string, part: Fields) => BerthError;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a storage response, either in the envelope `{ statusCode, body }` or flat. A `code` without `data` is a failure
 * whatever the status, and so is any response without `data`, or whose `statusCode` is an error.
 */
export function readEnvelope(
  { data: success, error, response }: RawResult,
  summary: string,
  url = response.url,
): StorageResponse {
  let content = success ?? error;
  if (typeof content === 'string') content = parseJson(content);
  const envelope = isRecord(content) ? content : {};
  const { statusCode, body } = envelope;
  const fields = isRecord(body) ? body : envelope;
  const envelopeStatus = isRecord(body) && typeof statusCode === 'number' ? statusCode : 200;
  const { data } = fields;

  const toStorageError: StorageResponse['toStorageError'] = (partSummary, part) => {
    const code = toText(part.code);
    const reason = toText(part.message) ?? (code ? undefined : 'the response is malformed');
    const info = url ? { method: 'POST', url } : undefined;
    const statuses = [response.status, envelopeStatus];
    const retryable = statuses.some((status) => retryOfStorage(status, code) !== 'never');
    const requestId = toText(fields.requestId);
    const details = { info, response, code, reason, requestId, retryable };
    return new BerthError('storage', partSummary, details);
  };

  const isSuccess = response.ok && Math.floor(envelopeStatus / 100) === 2;
  if (isSuccess && isRecord(data)) return { data, toStorageError };
  throw toStorageError(summary, fields);
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type DataOf<Result> = Result extends { data: { body: { data?: infer Data } } }
  ? NonNullable<Data>
  : never;

/**
 * Returns the `data` of the response to a raw storage call, from the envelope `{ statusCode, body: { data } }` or from
 * the flat form `{ data }` that some deployments send.
 *
 * @param result what `storage.POST` returned
 * @throws BerthError of the kind `storage` if the call failed, whatever its status
 *
 * @example
 * const path = '/api/v2/envs/{envId}/storages:batchDelete';
 * const { fileList } = unwrapEnvelope(await storage.POST(path, { body: { fileList: ids } }));
 */
export function unwrapEnvelope<Result extends RawResult>(result: Result): DataOf<Result> {
  return readEnvelope(result, 'The storage call failed').data as DataOf<Result>;
}
