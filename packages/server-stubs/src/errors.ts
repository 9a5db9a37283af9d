import { applyDispositionRules } from './forwarding.ts';
import {
  GATEWAY_ERRORS,
  STORAGE_ERRORS,
  type STORAGE_ITEM_ERRORS,
  UPLOAD_ERRORS,
} from './generated/errors.gen.ts';
import type { Call, HandlerResponse } from './runtime/portable/call.ts';
import { type HttpError, type HttpErrorKind, toResponse } from './runtime/portable/http-error.ts';

interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

/** For a deployment's own codes, which are not in any table. */
const UNKNOWN: ErrorRow = { status: 500, message: 'The call failed.' };

/** Options for an error that the contract defines. */
export interface ContractErrorOptions {
  /** Message for the caller. Default: the contract's message for the code. */
  readonly message?: string;
  /** Response status. Default: the contract's status for the code, or 500 for other codes. */
  readonly status?: number;
  /** Seconds to wait, an integer, sent as `Retry-After`. Default: the contract's value for the code. */
  readonly retryAfter?: number;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error. Never sent. */
  readonly cause?: unknown;
}

/** Base class for the errors of all three APIs: the gateway, the storage API and the upload target. */
abstract class ContractError<Code extends string> extends Error {
  readonly code: Code;
  /** Response status. */
  readonly status: number;
  /** How long the caller should wait, in seconds, an integer; `undefined` if waiting does not help. */
  readonly retryAfter: number | undefined;
  /** Response headers that depend only on this error. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    table: Readonly<Record<string, ErrorRow>>,
    code: Code,
    { message, status, retryAfter, headers, cause }: ContractErrorOptions = {},
  ) {
    const row = (Object.hasOwn(table, code) && table[code]) || UNKNOWN;
    super(message ?? row.message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? row.status;
    this.retryAfter = retryAfter ?? row.retryAfter;
    const allHeaders: Record<string, string> = {};
    if (this.retryAfter !== undefined) allHeaders['retry-after'] = String(this.retryAfter);
    // Lowercase, so that the headers that every error has, such as `x-request-id`, override these.
    for (const [name, text] of Object.entries(headers ?? {})) allHeaders[name.toLowerCase()] = text;
    this.headers = allHeaders;
  }
}

/** Editors suggest the known codes, but any string compiles. */
type OpenCode<Known extends string> = Known | (string & Record<never, never>);

export type GatewayErrorCode = OpenCode<keyof typeof GATEWAY_ERRORS>;
type StorageErrorCode = OpenCode<keyof typeof STORAGE_ERRORS>;
export type StorageItemCode = OpenCode<'SUCCESS' | keyof typeof STORAGE_ITEM_ERRORS>;
type UploadErrorCode = OpenCode<keyof typeof UPLOAD_ERRORS>;

/**
 * Throw this to reject a gateway call with an error of the gateway. Anything you omit comes from the contract's table.
 *
 * @example
 * throw new GatewayError('SERVICE_NOT_READY', { retryAfter: 5 });
 */
export class GatewayError extends ContractError<GatewayErrorCode> {
  override readonly name = 'GatewayError';

  constructor(code: GatewayErrorCode, options?: ContractErrorOptions) {
    super(GATEWAY_ERRORS, code, options);
  }

  [toResponse]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): HandlerResponse {
    const { code, message, status } = this;
    const required = { 'x-request-id': requestId, 'content-type': 'application/json' };
    const headers: Record<string, string> = { ...this.headers, ...required };
    // D8: "the gateway's own errors for GET calls also have the header".
    applyDispositionRules(request, headers);
    return { status, headers, body: { code, message, requestId } };
  }
}

/**
 * Throw this to reject a storage call. Anything you omit comes from the contract's table.
 *
 * @example
 * throw new StorageError('INVALID_PARAM', { message: 'fileList[0].maxAge must be 1 to 604800.' });
 */
export class StorageError extends ContractError<StorageErrorCode> {
  override readonly name = 'StorageError';

  constructor(code: StorageErrorCode, options?: ContractErrorOptions) {
    super(STORAGE_ERRORS, code, options);
  }

  [toResponse]({ requestId }: Pick<Call, 'requestId'>): HandlerResponse {
    const { code, message, status } = this;
    const headers = { ...this.headers, 'x-request-id': requestId };
    return { status, headers, body: { statusCode: status, body: { requestId, code, message } } };
  }
}

/**
 * Throw this to reject an upload. Anything you omit comes from the contract's table.
 *
 * @example
 * throw new UploadError('AccessDenied', { message: 'The grant has expired.' });
 */
export class UploadError extends ContractError<UploadErrorCode> {
  override readonly name = 'UploadError';
  /** The `key` of the form, which the router sets once it is known. */
  key: string | undefined;

  constructor(code: UploadErrorCode, options?: ContractErrorOptions) {
    super(UPLOAD_ERRORS, code, options);
  }

  [toResponse]({ requestId, rawPath }: Pick<Call, 'requestId' | 'rawPath'>): HandlerResponse {
    const { key = rawPath } = this;
    const required = { 'content-type': 'application/xml', 'x-request-id': requestId };
    const body = toXml('Error', {
      Code: this.code,
      Message: this.message,
      Resource: key.startsWith('/') ? key : `/${key}`,
      RequestId: requestId,
      TraceId: requestId,
    });
    return { status: this.status, headers: { ...this.headers, ...required }, body };
  }
}

const CLASSES = { gateway: GatewayError, storage: StorageError, upload: UploadError };

/** Which part of an `HttpError` is sent. `status`: also keeps the status of an upload error, for which D27 defines no code. */
type Visible = 'nothing' | 'message' | 'status';

const MALFORMED = 'MalformedPOSTRequest';

/** The codes for a request that a router rejects: D6 (gateway), D26 (storage API) and D27 (upload target). */
const CODES: Readonly<
  Record<HttpErrorKind, readonly [GatewayErrorCode, StorageErrorCode, UploadErrorCode, Visible]>
> = {
  'not-found': ['INVALID_PATH', 'NOT_FOUND', MALFORMED, 'status'],
  'method-not-allowed': ['METHOD_NOT_ALLOWED', 'METHOD_NOT_ALLOWED', MALFORMED, 'status'],
  'invalid-request': ['INVALID_REQUEST', 'INVALID_PARAM', MALFORMED, 'message'],
  'unsupported-media-type': ['INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE', MALFORMED, 'message'],
  'too-large': ['EXCEED_MAX_PAYLOAD_SIZE', 'EXCEED_MAX_PAYLOAD_SIZE', 'EntityTooLarge', 'message'],
  'missing-credentials': ['MISSING_CREDENTIALS', 'SIGN_PARAM_INVALID', 'AccessDenied', 'message'],
  unauthorized: ['INVALID_CREDENTIALS', 'SIGN_PARAM_INVALID', 'AccessDenied', 'message'],
  'not-implemented': ['SYS_ERR', 'SYS_ERR', 'InternalError', 'status'],
  'handler-failed': ['SYS_ERR', 'SYS_ERR', 'InternalError', 'nothing'],
};

/** The gateway reads all credentials from this header. */
const NO_CREDENTIALS = 'The Authorization header is missing: send a Bearer token or a signature.';

/** Converts an error of the router to an error of a surface, whose `cause` says which fields are invalid. */
export function toContractError(
  surface: keyof typeof CLASSES,
  error: HttpError,
): GatewayError | StorageError | UploadError {
  const { kind, status, message } = error;
  const [gateway, storage, upload, visible] = CODES[kind];
  const code = { gateway, storage, upload }[surface];
  if (visible === 'nothing') return new CLASSES[surface](code, { cause: error.cause });
  const hasStatus = surface !== 'upload' || visible === 'status';
  const text = code === 'MISSING_CREDENTIALS' ? NO_CREDENTIALS : message;
  return new CLASSES[surface](code, { message: text, cause: error, ...(hasStatus && { status }) });
}

/** XML 1.0, section 2.2: characters that a document must not contain. */
const INVALID_XML_CHARACTERS = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\r', '&#13;'],
]);

/** One child element per entry, in order (D27). */
export function toXml(root: string, entries: Readonly<Record<string, string>>): string {
  const elements = Object.entries(entries).map(([name, text]) => {
    const valid = text.replace(INVALID_XML_CHARACTERS, '\uFFFD');
    const escaped = valid.replace(/[&<>"\r]/g, (character) => ENTITIES.get(character) as string);
    return `<${name}>${escaped}</${name}>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><${root}>${elements.join('')}</${root}>`;
}
