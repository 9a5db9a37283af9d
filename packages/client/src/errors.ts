import type {
  KnownGatewayErrorCode,
  KnownStorageErrorCode,
  KnownUploadErrorCode,
} from './generated/contract.gen.ts';

/** Details of an error of this library. All of it may be shown; it contains no credentials. */
export interface BerthErrorDetails {
  /** What failed, as the beginning of a sentence: `The file could not be copied`. */
  readonly what: string;
  /** HTTP method of the call. */
  readonly method: string;
  /** Path of the call without its query, which may contain a signature. */
  readonly path: string;
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** Error code of the response. */
  readonly code?: string | undefined;
  /** Error message of the response, or of the platform. */
  readonly text?: string | undefined;
  /** Request ID of the response, to report to an operator. */
  readonly requestId?: string | undefined;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** Marks the errors of this package across its copies, which do not share classes. */
const BRAND = Symbol.for('@berth/client.error');

/**
 * Base of all errors for failed and missing responses. The message says what failed, with the error
 * code, the method, the path and the request ID. It never contains a credential.
 *
 * @example
 * if (isBerthError(error)) console.error(error.message, error.code, error.requestId);
 */
export abstract class BerthError<Own extends object = object> extends Error {
  /** Name of the class, for logs or a `switch`. */
  abstract override readonly name: string;
  /** HTTP method of the call. */
  declare readonly method: string;
  /** Path of the call, without its query. */
  declare readonly path: string;
  /** HTTP status of the response; `undefined` if there was no response. */
  declare readonly status: number | undefined;
  /** Error code of the response; `undefined` if it has none. */
  declare readonly code: string | undefined;
  /** Request ID of the response; `undefined` if it has none. */
  declare readonly requestId: string | undefined;

  /** @param details includes the subclass's own details */
  constructor(details: BerthErrorDetails & Own) {
    super(toMessage(details), details);
    const { what: _, text: __, cause: ___, ...fields } = details;
    Object.assign(this, fields);
  }
}

// Logs do not show what is on the prototype.
Object.defineProperty(BerthError.prototype, BRAND, { value: true });

/** Whether a value is an error of this package, from any copy of it, and of the given class. */
function isOfFamily(value: unknown, name?: string): boolean {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return name === undefined || (value as { name?: unknown }).name === name;
}

function toMessage({ what, method, path, status, code, text, requestId }: BerthErrorDetails) {
  const reason = [code, text].filter(Boolean).join(', ');
  const place = [`${method} ${path}`];
  if (status) place.push(`status ${status}`);
  if (requestId) place.push(`request id ${requestId}`);
  // A server's text must not add lines to a log.
  return `${what}${reason && `: ${reason}`} (${place.join(', ')})`.replace(/\p{Cc}+/gu, ' ');
}

/** One thing that is wrong with a payload. */
export interface ContractIssue {
  /** What is wrong, in the words of the validator. */
  readonly message: string;
  /** Where: field names and indexes, joined by dots; empty for the whole payload. */
  readonly path: string;
}

/**
 * The response is a success, but does not have the expected form: its JSON is invalid, or the validator
 * that you passed rejects the payload. The call was executed.
 *
 * @example
 * await service.get('users', { schema: Users }).catch((error) => {
 *   if (isContractError(error)) console.error(error.issues);
 *   throw error;
 * });
 */
export class ContractError extends BerthError {
  /** Always `ContractError`. */
  override readonly name = 'ContractError';
  /** What the validator found; empty without a validator. */
  declare readonly issues: readonly ContractIssue[];

  constructor(details: BerthErrorDetails & { readonly issues?: readonly ContractIssue[] }) {
    super({ issues: [], ...details });
  }
}

/**
 * Whether an error is a {@link ContractError}, even one from another copy of this package.
 *
 * @example
 * if (isContractError(error)) for (const { path, message } of error.issues) console.error(path, message);
 */
export function isContractError(error: unknown): error is ContractError {
  return isOfFamily(error, 'ContractError');
}

/** An error code of the gateway. Editors suggest the known ones; others may be added. */
export type GatewayErrorCode = KnownGatewayErrorCode | (string & Record<never, never>);

/** Details of a {@link GatewayError}. */
export interface GatewayErrorDetails extends BerthErrorDetails {
  /** HTTP status of the response. */
  readonly status: number;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed later. Default: `false`. */
  readonly retryable?: boolean;
  /** Body of the response: parsed if it is JSON, otherwise text. Default: none. */
  readonly body?: unknown;
}

/**
 * A failed gateway call. `source` is who refused it: the gateway itself, with a `code`, or the hosted
 * service, whose body has no fixed form and therefore no `code` (D10).
 *
 * @example
 * await gateway.service('hello').get('status').catch((error) => {
 *   if (!isGatewayError(error) || error.code !== 'SERVICE_NOT_FOUND') throw error;
 * });
 */
export class GatewayError extends BerthError {
  /** Always `GatewayError`. */
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode | undefined;
  declare readonly status: number;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  declare readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed later. A POST may already have been executed. */
  declare readonly retryable: boolean;
  readonly #body: unknown;

  constructor({ body, ...details }: GatewayErrorDetails) {
    super({ retryable: false, ...details });
    this.#body = body;
  }

  /** The body of the response: parsed if it is JSON, otherwise text. A method, so that logs do not show it. */
  body(): unknown {
    return this.#body;
  }
}

/**
 * Whether an error is a {@link GatewayError}, even one from another copy of this package.
 *
 * @example
 * if (isGatewayError(error) && error.code === 'SERVICE_NOT_READY') await startService();
 */
export function isGatewayError(error: unknown): error is GatewayError {
  return isOfFamily(error, 'GatewayError');
}

/**
 * There was no response, or it was interrupted. The call may or may not have been executed. `cause` is
 * the platform's error without credentials; its message differs between platforms.
 *
 * @example
 * await gateway.service('hello').get('status').catch((error) => {
 *   if (isNetworkError(error)) showOffline();
 *   else throw error;
 * });
 */
export class NetworkError extends BerthError {
  /** Always `NetworkError`. */
  override readonly name = 'NetworkError';
}

/**
 * Whether an error is a {@link NetworkError}, even one from another copy of this package.
 *
 * @example
 * if (isNetworkError(error)) console.error(error.message, error.cause);
 */
export function isNetworkError(error: unknown): error is NetworkError {
  return isOfFamily(error, 'NetworkError');
}

/** An error code of the storage API. Editors suggest the known ones; others may be added. */
export type StorageErrorCode = KnownStorageErrorCode | (string & Record<never, never>);

/**
 * A storage call that failed, in whole or for its one file, or a download whose link returned no file.
 * Do not rely on the status alone: a failed file comes with status 200 (D20, D30).
 *
 * @example
 * await storage.delete(fileID).catch((error) => {
 *   if (!isStorageError(error) || error.code !== 'STORAGE_FILE_NONEXIST') throw error;
 * });
 */
export class StorageError extends BerthError {
  /** Always `StorageError`. */
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode | undefined;
}

/**
 * Whether an error is a {@link StorageError}, even one from another copy of this package.
 *
 * @example
 * if (isStorageError(error)) console.error(error.code);
 */
export function isStorageError(error: unknown): error is StorageError {
  return isOfFamily(error, 'StorageError');
}

/**
 * A time limit of the client has passed. The call may or may not have been executed. The gateway's own
 * timeout is a `GatewayError` with the code SERVICE_TIMEOUT.
 *
 * @example
 * await gateway.service('hello').get('report', { timeouts: { total: 5_000 } }).catch((error) => {
 *   if (isTimeoutError(error)) showTooSlow(error.timeout);
 *   else throw error;
 * });
 */
export class TimeoutError extends BerthError<{ readonly timeout: number }> {
  /** Always `TimeoutError`. */
  override readonly name = 'TimeoutError';
  /** The limit in milliseconds. */
  declare readonly timeout: number;
}

/**
 * Whether an error is a {@link TimeoutError}, even one from another copy of this package.
 *
 * @example
 * if (isTimeoutError(error)) console.error(`Nothing came within ${error.timeout} ms`);
 */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isOfFamily(error, 'TimeoutError');
}

/** An error code of the upload target. Editors suggest the known ones; others may be added. */
export type UploadErrorCode = KnownUploadErrorCode | (string & Record<never, never>);

/**
 * The upload target refused the form. `code` and `requestId` come from its XML `Error` element, which
 * can come with any status, even 200. Nothing was stored (D30).
 *
 * @example
 * await storage.upload('a.txt', 'hello').catch((error) => {
 *   if (isUploadError(error)) console.error(error.code, error.requestId);
 *   throw error;
 * });
 */
export class UploadError extends BerthError {
  /** Always `UploadError`. */
  override readonly name = 'UploadError';
  declare readonly code: UploadErrorCode | undefined;
}

/**
 * Whether an error is an {@link UploadError}, even one from another copy of this package.
 *
 * @example
 * if (isUploadError(error) && error.code === 'EntityTooLarge') showLimit();
 */
export function isUploadError(error: unknown): error is UploadError {
  return isOfFamily(error, 'UploadError');
}

/**
 * Any error of this library. Use its `name` to distinguish the classes.
 *
 * @example
 * function toText(error: AnyBerthError): string {
 *   switch (error.name) {
 *     case 'TimeoutError':
 *       return `Nothing came within ${error.timeout} ms.`;
 *     case 'GatewayError':
 *       return `The ${error.source} failed with status ${error.status}.`;
 *     default:
 *       return error.message;
 *   }
 * }
 */
export type AnyBerthError =
  | ContractError
  | GatewayError
  | NetworkError
  | StorageError
  | TimeoutError
  | UploadError;

/**
 * Whether an error is one of this library, even from another copy of it. Its `name` then says which.
 *
 * @example
 * if (!isBerthError(error)) throw error;
 * if (error.name === 'GatewayError') console.error(error.source, error.code);
 */
export function isBerthError(error: unknown): error is AnyBerthError {
  return isOfFamily(error);
}
