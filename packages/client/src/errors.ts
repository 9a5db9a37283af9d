import type {
  KnownGatewayErrorCode,
  KnownStorageErrorCode,
  KnownUploadErrorCode,
} from './generated/contract.gen.ts';

/** What an error of this library is made of. All of it may be shown; none of it is a credential. */
export interface BerthErrorDetails {
  /** What failed, as the beginning of a sentence: `The file could not be copied`. */
  readonly what: string;
  /** HTTP method of the call. */
  readonly method: string;
  /** Path of the call without its query, which may hold a signature. */
  readonly path: string;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** Error code of the answer. */
  readonly code?: string | undefined;
  /** The answer's own error text, or what the platform says. */
  readonly text?: string | undefined;
  /** Request identifier of the answer, to give to an operator. */
  readonly requestId?: string | undefined;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** Marks the errors of this package in all of its copies, which share no classes. */
const BRAND = Symbol.for('@berth/client.error');

/**
 * Base of all errors that this library makes of answers, and of answers that did not come. Its
 * message alone tells what failed, with which code, at which method and path, and the request id. It
 * never holds a credential.
 *
 * @example
 * if (isBerthError(error)) console.error(error.message, error.code, error.requestId);
 */
export abstract class BerthError<Own extends object = object> extends Error {
  /** Name of the class, for a log or a `switch`. */
  abstract override readonly name: string;
  /** HTTP method of the call. */
  declare readonly method: string;
  /** Path of the call, without its query. */
  declare readonly path: string;
  /** HTTP status of the answer; `undefined` where none came. */
  declare readonly status: number | undefined;
  /** Error code of the answer; `undefined` where it has none. */
  declare readonly code: string | undefined;
  /** Request identifier of the answer; `undefined` where it has none. */
  declare readonly requestId: string | undefined;

  /** @param details also what a subclass has of its own */
  constructor(details: BerthErrorDetails & Own) {
    super(toMessage(details), details);
    const { what: _, text: __, cause: ___, ...fields } = details;
    Object.assign(this, fields);
  }
}

// What is on the prototype, no log shows.
Object.defineProperty(BerthError.prototype, BRAND, { value: true });

/** Whether a value is an error of any copy of this package, and of the class of that name. */
function isOfFamily(value: unknown, name?: string): boolean {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return name === undefined || (value as { name?: unknown }).name === name;
}

function toMessage({ what, method, path, status, code, text, requestId }: BerthErrorDetails) {
  const reason = [code, text].filter(Boolean).join(', ');
  const place = [`${method} ${path}`];
  if (status) place.push(`status ${status}`);
  if (requestId) place.push(`request id ${requestId}`);
  // A server's text must not forge further lines of a log.
  return `${what}${reason && `: ${reason}`} (${place.join(', ')})`.replace(/\p{Cc}+/gu, ' ');
}

/** One thing that is wrong with a payload. */
export interface ContractIssue {
  /** What is wrong, in the words of the validator. */
  readonly message: string;
  /** Where: field names and list positions, joined by dots; empty for the whole payload. */
  readonly path: string;
}

/**
 * The answer is a success, but not of the form that was promised: JSON that is none, or a payload
 * that the validator you passed refuses. The call was executed.
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
  /** What the validator found; empty where none was asked. */
  declare readonly issues: readonly ContractIssue[];

  constructor(details: BerthErrorDetails & { readonly issues?: readonly ContractIssue[] }) {
    super({ issues: [], ...details });
  }
}

/**
 * Whether an error is a {@link ContractError}, also of another copy of this package.
 *
 * @example
 * if (isContractError(error)) for (const { path, message } of error.issues) console.error(path, message);
 */
export function isContractError(error: unknown): error is ContractError {
  return isOfFamily(error, 'ContractError');
}

/** A code of the gateway. The known ones are offered by editors; the list is open. */
export type GatewayErrorCode = KnownGatewayErrorCode | (string & Record<never, never>);

/** What a {@link GatewayError} is made of. */
export interface GatewayErrorDetails extends BerthErrorDetails {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Who ended the call: the gateway, or the hosted service behind it. */
  readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed later. Default: `false`. */
  readonly retryable?: boolean;
  /** The body of the answer: parsed where it is JSON, else text. Default: none. */
  readonly body?: unknown;
}

/**
 * A gateway call that failed. `source` tells who refused it: the gateway itself, with a `code`, or
 * the hosted service, whose body has no fixed form and so gives no `code` (D10).
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
  /** Whether the same call may succeed later. Where it is a POST, it may have been executed. */
  declare readonly retryable: boolean;
  readonly #body: unknown;

  constructor({ body, ...details }: GatewayErrorDetails) {
    super({ retryable: false, ...details });
    this.#body = body;
  }

  /** The body of the answer: parsed where it is JSON, else text. A log does not show it by itself. */
  body(): unknown {
    return this.#body;
  }
}

/**
 * Whether an error is a {@link GatewayError}, also of another copy of this package.
 *
 * @example
 * if (isGatewayError(error) && error.code === 'SERVICE_NOT_READY') await startService();
 */
export function isGatewayError(error: unknown): error is GatewayError {
  return isOfFamily(error, 'GatewayError');
}

/**
 * No answer came, or it broke off. Whether the call was executed is not known. `cause` holds what the
 * platform says, without credentials; its words differ from platform to platform.
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
 * Whether an error is a {@link NetworkError}, also of another copy of this package.
 *
 * @example
 * if (isNetworkError(error)) console.error(error.message, error.cause);
 */
export function isNetworkError(error: unknown): error is NetworkError {
  return isOfFamily(error, 'NetworkError');
}

/** A code of the storage API. The known ones are offered by editors; the list is open. */
export type StorageErrorCode = KnownStorageErrorCode | (string & Record<never, never>);

/**
 * A storage call that failed, as a whole or for its one file, or a download whose link gave no file.
 * The status alone says little: a failed file comes with status 200 (D20, D30).
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
 * Whether an error is a {@link StorageError}, also of another copy of this package.
 *
 * @example
 * if (isStorageError(error)) console.error(error.code);
 */
export function isStorageError(error: unknown): error is StorageError {
  return isOfFamily(error, 'StorageError');
}

/**
 * A time limit of the client passed. Whether the call was executed is not known. The gateway's own
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
  /** The limit that passed, in milliseconds. */
  declare readonly timeout: number;
}

/**
 * Whether an error is a {@link TimeoutError}, also of another copy of this package.
 *
 * @example
 * if (isTimeoutError(error)) console.error(`Nothing came within ${error.timeout} ms`);
 */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isOfFamily(error, 'TimeoutError');
}

/** A code of the upload target. The known ones are offered by editors; the list is open. */
export type UploadErrorCode = KnownUploadErrorCode | (string & Record<never, never>);

/**
 * The upload target refused the form. `code` and `requestId` come from its XML `Error` element, which
 * may come with any status, 200 included. Nothing was stored (D30).
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
 * Whether an error is an {@link UploadError}, also of another copy of this package.
 *
 * @example
 * if (isUploadError(error) && error.code === 'EntityTooLarge') showLimit();
 */
export function isUploadError(error: unknown): error is UploadError {
  return isOfFamily(error, 'UploadError');
}

/**
 * Any error of this library. Its `name` tells the classes apart.
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
 * Whether an error is one of this library, also of another copy of it. Its `name` then tells which.
 *
 * @example
 * if (!isBerthError(error)) throw error;
 * if (error.name === 'GatewayError') console.error(error.source, error.code);
 */
export function isBerthError(error: unknown): error is AnyBerthError {
  return isOfFamily(error);
}
