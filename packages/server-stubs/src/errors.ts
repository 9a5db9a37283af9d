import type { IncomingMessage } from 'node:http';
import {
  GATEWAY_ERRORS,
  STORAGE_ERRORS,
  type STORAGE_ITEM_ERRORS,
  UPLOAD_ERRORS,
} from './generated/errors.gen.ts';
import { applyDispositionRules } from './http/disposition.ts';
// Not by the door of the runtime: errors are for browsers too, which have no modules of Node.
import { type Call, toAnswer } from './runtime/call.ts';
import type { Answer } from './runtime/index.ts';

/** For a code that is in no table: the deployment's own. */
const UNKNOWN: ErrorRow = { status: 500, message: 'The call failed.' };
const resources = new WeakMap<IncomingMessage, string>();

/** XML 1.0, section 2.2: what is none of its characters cannot be written at all. */
const NO_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** What an error of the contract may say beyond its code. */
export interface ContractErrorOptions {
  /** Text for the caller: what is wrong and how to mend it. Default: the text of the code's row. */
  readonly message?: string;
  /** Status of the answer. Default: the one of the code's row; 500 for a code that has none. */
  readonly status?: number;
  /** Whole seconds that the caller should wait, sent as `Retry-After`. Default: those of the row. */
  readonly retryAfter?: number;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What led to this error. It is never sent. */
  readonly cause?: unknown;
}

/** What the errors of the three surfaces have in common. */
export abstract class ContractError extends Error {
  readonly code: string;
  /** Status of the answer. */
  readonly status: number;
  /** Whole seconds; undefined where no wait helps. */
  readonly retryAfter: number | undefined;
  /** Headers of the answer that depend on nothing but this error. */
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

/** A code of a list that is open: editors offer the known ones, any other text compiles as well. */
export type OpenCode<Known extends string> = Known | (string & Record<never, never>);

/** A code of the gateway. The known ones are offered by editors; the list is open. */
export type GatewayErrorCode = OpenCode<keyof typeof GATEWAY_ERRORS>;

/**
 * Ends a gateway call with an error of the gateway. Status, text and `Retry-After` come from the table
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

  /** The answer of the runtime to this error. */
  [toAnswer]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): Answer {
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

/** A code of a whole storage call. The known ones are offered by editors; the list is open. */
export type StorageErrorCode = OpenCode<keyof typeof STORAGE_ERRORS>;

/** A code of one entry of a result list. The list is open. */
export type StorageItemCode = OpenCode<'SUCCESS' | keyof typeof STORAGE_ITEM_ERRORS>;

/**
 * Ends a storage call as a whole. Status, text and `Retry-After` come from the table of the contract
 * (D26) unless they are given here; the answer is the envelope `{ statusCode, body }`, and
 * `statusCode` equals the status (D20). A bad item of a list is no error: give it a `code` of its own.
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

  /** The answer of the runtime to this error. */
  [toAnswer]({ requestId }: Pick<Call, 'requestId'>): Answer {
    const { code, message, status } = this;
    return {
      status,
      headers: { ...this.headers, 'x-request-id': requestId },
      body: { statusCode: status, body: { requestId, code, message } },
    };
  }
}

/** A code of the upload target. The known ones are offered by editors; the list is open. */
export type UploadErrorCode = OpenCode<keyof typeof UPLOAD_ERRORS>;

export interface UploadErrorOptions extends ContractErrorOptions {
  /** What the upload was about, such as `/reports/summary.txt`. Default: the `key` of the form, or the path. */
  readonly resource?: string;
}

/**
 * Ends an upload. Status and text come from the table of the contract (D27) unless they are given here;
 * the answer is an XML document whose root is `Error`.
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

  /** The answer of the runtime to this error. */
  [toAnswer](call: Pick<Call, 'request' | 'requestId' | 'rawPath'>): Answer {
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

/** What the tables of the contract say of one error code. */
interface ErrorRow {
  readonly status: number;
  readonly message: string;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** The row of a code; a status of 500 where the table has none. */
function errorRow(table: Readonly<Record<string, ErrorRow>>, code: string): ErrorRow {
  return Object.hasOwn(table, code) ? (table[code] as ErrorRow) : UNKNOWN;
}

/** Remembers which key a form names, so that an error can say what it is about. */
export function noteResource(request: IncomingMessage, key: string): void {
  resources.set(request, key.startsWith('/') ? key : `/${key}`);
}

/** What an upload is about (D27, `Resource`): the key of the form, or the path until it is known. */
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
