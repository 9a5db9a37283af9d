import type { IncomingMessage } from 'node:http';
import {
  GATEWAY_ERRORS,
  STORAGE_ERRORS,
  type STORAGE_ITEM_ERRORS,
  UPLOAD_ERRORS,
} from './generated/errors.gen.ts';
import { applyDispositionRules } from './http/disposition.ts';
// Not imported from the runtime's index: errors are used in browsers too, which have no Node.js modules.
import { type Call, toResponse } from './runtime/call.ts';
import type { HandlerResponse } from './runtime/index.ts';

/** For codes of the deployment, which are in no table. */
const UNKNOWN: ErrorRow = { status: 500, message: 'The call failed.' };
const resources = new WeakMap<IncomingMessage, string>();

/** XML 1.0, section 2.2: characters that a document cannot contain. */
const NO_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Options of an error of the contract. */
export interface ContractErrorOptions {
  /** Message for the caller: what is wrong and how to fix it. Default: the message of the code's row. */
  readonly message?: string;
  /** Status of the response. Default: the one of the code's row, or 500 if it has none. */
  readonly status?: number;
  /** Whole seconds that the caller should wait, sent as `Retry-After`. Default: those of the row. */
  readonly retryAfter?: number;
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error. Never sent. */
  readonly cause?: unknown;
}

/** Base class of the errors of the three surfaces. */
export abstract class ContractError extends Error {
  readonly code: string;
  /** Status of the response. */
  readonly status: number;
  /** Whole seconds; undefined if waiting does not help. */
  readonly retryAfter: number | undefined;
  /** Headers of the response that depend on this error alone. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    table: Readonly<Record<string, ErrorRow>>,
    code: string,
    { message, status, retryAfter, headers, cause }: ContractErrorOptions = {},
  ) {
    const row = errorRow(table, code);
    super(message ?? row.message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? row.status;
    this.retryAfter = retryAfter ?? row.retryAfter;
    this.headers =
      this.retryAfter === undefined
        ? { ...headers }
        : { 'retry-after': String(this.retryAfter), ...headers };
  }
}

/** A code of an open list: editors suggest the known ones, any other string compiles as well. */
export type OpenCode<Known extends string> = Known | (string & Record<never, never>);

/** A code of the gateway. Editors suggest the known ones; any other string is allowed. */
export type GatewayErrorCode = OpenCode<keyof typeof GATEWAY_ERRORS>;

/**
 * Ends a gateway call with an error of the gateway. Status, message and `Retry-After` come from the table
 * of the contract (D6) unless they are given here; the body is `{ code, message, requestId }`, and
 * `X-Request-Id` equals `requestId` (D9).
 *
 * @example
 * throw new GatewayError('SERVICE_NOT_READY', { retryAfter: 5 });
 */
export class GatewayError extends ContractError {
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, options?: ContractErrorOptions) {
    super(GATEWAY_ERRORS, code, options);
  }

  [toResponse]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): HandlerResponse {
    const { code, message } = this;
    const headers = {
      ...this.headers,
      'x-request-id': requestId,
      'content-type': 'application/json',
    };
    return {
      status: this.status,
      // D8: "the gateway's own errors on GET carry it too".
      headers: applyDispositionRules(request, headers) as Record<string, string>,
      body: { code, message, requestId },
    };
  }
}

/** An error code of a storage call. Editors suggest the known ones; any other string is allowed. */
export type StorageErrorCode = OpenCode<keyof typeof STORAGE_ERRORS>;

/** An item code of a result list. Any other string is allowed. */
export type StorageItemCode = OpenCode<'SUCCESS' | keyof typeof STORAGE_ITEM_ERRORS>;

/**
 * Ends a storage call with an error. Status, message and `Retry-After` come from the table of the
 * contract (D26) unless they are given here. The response is the envelope `{ statusCode, body }`, and
 * `statusCode` equals the status (D20). Do not throw it for a bad item of a list: return the item with
 * its own `code`.
 *
 * @example
 * throw new StorageError('INVALID_PARAM', { message: 'fileList[0].maxAge must be 1 to 604800.' });
 */
export class StorageError extends ContractError {
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, options?: ContractErrorOptions) {
    super(STORAGE_ERRORS, code, options);
  }

  [toResponse]({ requestId }: Pick<Call, 'requestId'>): HandlerResponse {
    const { code, message, status } = this;
    return {
      status,
      headers: { ...this.headers, 'x-request-id': requestId },
      body: { statusCode: status, body: { requestId, code, message } },
    };
  }
}

/** A code of the upload target. Editors suggest the known ones; any other string is allowed. */
export type UploadErrorCode = OpenCode<keyof typeof UPLOAD_ERRORS>;

export interface UploadErrorOptions extends ContractErrorOptions {
  /**
   * File that was uploaded, such as `/reports/summary.txt`. Default: the `key` of the form, or the path.
   */
  readonly resource?: string;
}

/**
 * Ends an upload with an error. Status and message come from the table of the contract (D27) unless they
 * are given here; the response is an XML document whose root is `Error`.
 *
 * @example
 * throw new UploadError('AccessDenied', { message: 'The grant has expired.' });
 */
export class UploadError extends ContractError {
  override readonly name = 'UploadError';
  declare readonly code: UploadErrorCode;
  readonly resource: string | undefined;

  constructor(code: UploadErrorCode, options?: UploadErrorOptions) {
    super(UPLOAD_ERRORS, code, options);
    this.resource = options?.resource;
  }

  [toResponse](call: Pick<Call, 'request' | 'requestId' | 'rawPath'>): HandlerResponse {
    const { requestId } = call;
    return {
      status: this.status,
      headers: {
        ...this.headers,
        'content-type': 'application/xml',
        'x-request-id': requestId,
      },
      body: toErrorXml({
        Code: this.code,
        Message: this.message,
        Resource: this.resource ?? resourceOf(call),
        RequestId: requestId,
        TraceId: requestId,
      }),
    };
  }
}

/** A row of an error table of the contract. */
interface ErrorRow {
  readonly status: number;
  readonly message: string;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

function errorRow(table: Readonly<Record<string, ErrorRow>>, code: string): ErrorRow {
  return Object.hasOwn(table, code) ? (table[code] as ErrorRow) : UNKNOWN;
}

/** Remembers the key of a form, so that errors can name it. */
export function rememberResource(request: IncomingMessage, key: string): void {
  resources.set(request, key.startsWith('/') ? key : `/${key}`);
}

/** `Resource` of an error (D27): the key of the form, or the path until the key is known. */
function resourceOf({ request, rawPath }: Pick<Call, 'request' | 'rawPath'>): string {
  return resources.get(request) ?? rawPath;
}

/**
 * An XML document with the root `Error` and one element for each entry, in their order (D27).
 *
 * @example
 * toErrorXml({ Code: 'AccessDenied', Message: 'The grant has expired.' });
 */
export function toErrorXml(entries: Readonly<Record<string, string>>): string {
  const elements = Object.entries(entries).map(
    ([name, text]) => `<${name}>${escapeText(text)}</${name}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><Error>${elements.join('')}</Error>`;
}

function escapeText(text: string): string {
  return text.replace(NO_XML, '\uFFFD').replace(/[&<>"\r]/g, (char) => ENTITIES[char] as string);
}
