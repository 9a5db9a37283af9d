import type {
  KnownGatewayErrorCode,
  KnownStorageErrorCode,
  KnownUploadErrorCode,
} from './generated/contract.gen.ts';

/** Details of a Berth error. The path leaves out the query, which may contain a signature. */
export interface BerthErrorDetails {
  /** What failed, as the start of a sentence: `The file could not be copied`. */
  readonly what: string;
  /** HTTP method of the call. */
  readonly method: string;
  /** Path of the call, without the query, which may contain a signature. */
  readonly path: string;
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** Error code of the response. */
  readonly code?: string | undefined;
  /** Error message from the response or the platform. */
  readonly text?: string | undefined;
  /** Request ID of the response. Include it when you report a problem to the operator. */
  readonly requestId?: string | undefined;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** Marks this package's errors, because copies of the package do not share classes. */
const BRAND = Symbol.for('@berth/client.error');

/**
 * Base class for the errors that are thrown if a call fails or gets no response. The message states what
 * failed, with the error code, method, path and request ID.
 *
 * @example
 * if (isBerthError(error)) console.error(error.message, error.code, error.requestId);
 */
export abstract class BerthError<Own extends object = object> extends Error {
  /** Class name, for logs or a `switch`. */
  abstract override readonly name: string;
  /** HTTP method of the call. */
  declare readonly method: string;
  /** Path of the call, without the query. */
  declare readonly path: string;
  /** HTTP status of the response; `undefined` if there was no response. */
  declare readonly status: number | undefined;
  /** Error code of the response; `undefined` if it has none. */
  declare readonly code: string | undefined;
  /** Request ID of the response; `undefined` if it has none. */
  declare readonly requestId: string | undefined;

  /** @param details including those of the subclass */
  constructor(details: BerthErrorDetails & Own) {
    super(toMessage(details), details);
    const { what: _, text: __, cause: ___, ...fields } = details;
    Object.assign(this, fields);
  }
}

// Properties on the prototype do not show up in logs.
Object.defineProperty(BerthError.prototype, BRAND, { value: true });

/** Returns whether a value is an error of the given class, from any copy of this package. */
function isOfFamily(value: unknown, name?: string): boolean {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return name === undefined || (value as { name?: unknown }).name === name;
}

function toMessage({ what, method, path, status, code, text, requestId }: BerthErrorDetails) {
  const reason = [code, text].filter(Boolean).join(', ');
  const place = [`${method} ${path}`];
  if (status) place.push(`status ${status}`);
  if (requestId) place.push(`request id ${requestId}`);
  // Keeps text from a server from adding lines to a log.
  return `${what}${reason && `: ${reason}`} (${place.join(', ')})`.replace(/\p{Cc}+/gu, ' ');
}

/** A problem in the payload of a response. */
export interface ContractIssue {
  /** What is wrong, as worded by the validator. */
  readonly message: string;
  /** Location of the problem: field names and indexes joined by dots. Empty if it concerns the entire payload. */
  readonly path: string;
}

/**
 * Thrown if a successful response does not have the expected form: its JSON is invalid, or the validator
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
  /** The problems that the validator found. Empty without a validator. */
  declare readonly issues: readonly ContractIssue[];

  constructor(details: BerthErrorDetails & { readonly issues?: readonly ContractIssue[] }) {
    super({ issues: [], ...details });
  }
}

/**
 * Returns whether an error is a {@link ContractError}, even from another copy of this package.
 *
 * @example
 * if (isContractError(error)) for (const { path, message } of error.issues) console.error(path, message);
 */
export function isContractError(error: unknown): error is ContractError {
  return isOfFamily(error, 'ContractError');
}

/** A gateway error code. Editors suggest the known ones, but the gateway may add others. */
export type GatewayErrorCode = KnownGatewayErrorCode | (string & Record<never, never>);

/** Details of a {@link GatewayError}. */
interface GatewayErrorDetails extends BerthErrorDetails {
  /** HTTP status of the response. */
  readonly status: number;
  /** Where the error comes from: the gateway, or the hosted service behind it. */
  readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed if you repeat it. Default: `false`. */
  readonly retryable?: boolean;
  /** Response body, parsed if it is JSON, otherwise as text. Default: none. */
  readonly body?: unknown;
}

/**
 * Thrown if a gateway call fails. `source` is either the gateway itself, which sends a `code`, or the
 * hosted service, whose error bodies have no fixed form and therefore no `code` (D10).
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
  /** Where the error comes from: the gateway, or the hosted service behind it. */
  declare readonly source: 'gateway' | 'service';
  /** Whether the same call may succeed if you repeat it. A POST may already have been executed. */
  declare readonly retryable: boolean;
  readonly #body: unknown;

  constructor({ body, ...details }: GatewayErrorDetails) {
    super({ retryable: false, ...details });
    this.#body = body;
  }

  /**
   * Returns the response body, parsed if it is JSON, otherwise as text. It is a method so that logs do
   * not show it.
   */
  body(): unknown {
    return this.#body;
  }
}

/**
 * Returns whether an error is a {@link GatewayError}, even from another copy of this package.
 *
 * @example
 * if (isGatewayError(error) && error.code === 'SERVICE_NOT_READY') await startService();
 */
export function isGatewayError(error: unknown): error is GatewayError {
  return isOfFamily(error, 'GatewayError');
}

/**
 * Thrown if no response arrived, or if the response was interrupted. The call may or may not have been
 * executed. `cause` is the platform's error. Its message differs between platforms.
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
 * Returns whether an error is a {@link NetworkError}, even from another copy of this package.
 *
 * @example
 * if (isNetworkError(error)) console.error(error.message, error.cause);
 */
export function isNetworkError(error: unknown): error is NetworkError {
  return isOfFamily(error, 'NetworkError');
}

/** A storage API error code. Editors suggest the known ones, but the API may add others. */
type StorageErrorCode = KnownStorageErrorCode | (string & Record<never, never>);

/**
 * Thrown if a storage call fails, as a whole or for its only file, or if a download link returns no file. Do
 * not rely on the status alone: if the call succeeded but its file failed, the status is 200 (D20, D30).
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
 * Returns whether an error is a {@link StorageError}, even from another copy of this package.
 *
 * @example
 * if (isStorageError(error)) console.error(error.code);
 */
export function isStorageError(error: unknown): error is StorageError {
  return isOfFamily(error, 'StorageError');
}

/**
 * Thrown when one of the client's time limits is exceeded. The call may or may not have been executed. A
 * timeout in the gateway is a `GatewayError` with the code SERVICE_TIMEOUT.
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
 * Returns whether an error is a {@link TimeoutError}, even from another copy of this package.
 *
 * @example
 * if (isTimeoutError(error)) console.error(`Nothing came within ${error.timeout} ms`);
 */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isOfFamily(error, 'TimeoutError');
}

/** An upload target error code. Editors suggest the known ones, but targets may add others. */
type UploadErrorCode = KnownUploadErrorCode | (string & Record<never, never>);

/**
 * Thrown if the upload target rejects the form. `code` and `requestId` come from the XML `Error` element
 * of its response, which may have any status, even 200. Nothing was stored (D30).
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
 * Returns whether an error is an {@link UploadError}, even from another copy of this package.
 *
 * @example
 * if (isUploadError(error) && error.code === 'EntityTooLarge') showLimit();
 */
export function isUploadError(error: unknown): error is UploadError {
  return isOfFamily(error, 'UploadError');
}

/**
 * Any error that this library throws for a call. Use `name` to distinguish the classes.
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
 * Returns whether an error is a Berth error, even from another copy of this package. If so, its `name` is
 * the name of its class.
 *
 * @example
 * if (!isBerthError(error)) throw error;
 * if (error.name === 'GatewayError') console.error(error.source, error.code);
 */
export function isBerthError(error: unknown): error is AnyBerthError {
  return isOfFamily(error);
}
