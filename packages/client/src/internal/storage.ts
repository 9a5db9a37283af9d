import type { WireProfile } from '@berth/spec/wire-profile';
import type { CallOptions, FetchLike, SharedCallOptions } from '../call-options.ts';
import { StorageError } from '../errors.ts';
import type { STORAGE_PATH } from '../generated/contract.gen.ts';
import type { paths } from '../generated/storage.v2.gen.ts';
import { describeResponse } from './failures.ts';
import { isRecord, parseJson } from './options.ts';
import type { Pipeline } from './pipeline.ts';

/** Paths of the storage operations, without the upload target, which has no fixed URL. */
export type StoragePath = Extract<keyof paths, `${typeof STORAGE_PATH}${string}`>;

/** A storage operation's `operationId`, which is the last segment of its path. */
export type StorageOperation = StoragePath extends `${typeof STORAGE_PATH}${infer Id}` ? Id : never;

/** A storage operation's JSON body, with its fields at the top level. */
export type StorageBody<Operation extends StorageOperation> = Exclude<
  paths[`${typeof STORAGE_PATH}${Operation}`]['post']['requestBody']['content']['application/json'],
  { data: unknown }
>;

/**
 * Options for a storage call. There is no `idempotent` option, because the client knows which storage calls
 * are idempotent (D26).
 */
export type StorageCallOptions = Omit<CallOptions, 'idempotent'>;

/** State shared by all operations of a storage client. */
export interface StorageContext extends SharedCallOptions {
  readonly wireProfile: WireProfile;
  readonly onWarning: (message: string) => void;
  /** Calls an operation and unwraps its envelope. `what` starts the message of an error. */
  call<Operation extends StorageOperation>(
    operation: Operation,
    body: StorageBody<Operation>,
    what: string,
    options: StorageCallOptions,
  ): Promise<StorageResponse>;
  /** Sends requests without credentials, for links. */
  readonly links: Pipeline;
  /** The caller's own `fetch`. */
  readonly fetch?: FetchLike | undefined;
  readonly agent?: object | undefined;
}

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
