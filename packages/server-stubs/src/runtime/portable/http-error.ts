import type { Call, HandlerResponse } from './call.ts';
import { escapeName } from './encoding.ts';

/** Name of the method with which an error defines its own response: `error[toResponse](call)`. */
export const toResponse: unique symbol = Symbol.for('@berth/server-stubs/toResponse');

/** An error that defines its own response. */
export interface ErrorWithResponse {
  [toResponse](call: Call): HandlerResponse;
}

export function hasResponse(error: unknown): error is ErrorWithResponse {
  return typeof Object(error)[toResponse] === 'function';
}

const STATUSES = {
  'not-found': 404,
  'method-not-allowed': 405,
  'invalid-request': 400,
  'unsupported-media-type': 415,
  'too-large': 413,
  'missing-credentials': 401,
  unauthorized: 401,
  'not-implemented': 501,
  'handler-failed': 500,
} as const;

/** Why a call failed. */
export type HttpErrorKind = keyof typeof STATUSES;

/** RFC 9457, section 4.2.1: without a `type`, the title should be the status's reason phrase (RFC 9110, RFC 6585). */
// Not `STATUS_CODES` of `node:http`, because this file must also work in browsers.
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** A violation of the document by a request or response. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'response';
  /** JSON Pointer to the value, within the location that `in` names, such as `/fileList/0/fileID`. */
  readonly pointer: string;
  /** A sentence that says what is wrong with which field, such as `body.fileList is missing.` */
  readonly message: string;
}

/**
 * Throw this to reject a call. The router throws it for each request that it rejects.
 *
 * @example
 * throw new HttpError('unauthorized', 'The token has expired.');
 */
export class HttpError extends Error implements ErrorWithResponse {
  override readonly name = 'HttpError';
  readonly kind: HttpErrorKind;
  /** Response status. Default: that of the kind. */
  readonly status: number;
  /** What is wrong with the request. Default: none. */
  readonly violations: readonly Violation[];
  /** Headers that HTTP requires, such as `Allow`, even if the error is converted to another one. Default: none. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param options `cause` is the underlying error, for the log, which is never sent */
  constructor(
    kind: HttpErrorKind,
    message: string,
    options: Partial<Pick<HttpError, 'status' | 'violations' | 'headers' | 'cause'>> = {},
  ) {
    super(message, { cause: options.cause });
    if (!Object.hasOwn(STATUSES, kind)) {
      const kinds = Object.keys(STATUSES).join(', ');
      throw new TypeError(`The kind of an HttpError must be one of ${kinds}, got ${String(kind)}.`);
    }
    this.kind = kind;
    this.status = options.status ?? STATUSES[kind];
    this.violations = options.violations ?? [];
    this.headers = options.headers ?? {};
  }

  [toResponse](_call?: Call): HandlerResponse {
    const { status, message, violations } = this;
    const errors = violations.map(({ message, ...location }) => ({ detail: message, ...location }));
    const problem = { title: TITLES[status] ?? 'Error', status, detail: message };
    return {
      status,
      headers: { 'content-type': 'application/problem+json' },
      body: errors.length > 0 ? { ...problem, errors } : problem,
    };
  }
}

export function notFound(path: string, basePath = ''): HttpError {
  const isBelow = path === basePath || path.startsWith(`${basePath}/`);
  const hint = isBelow ? '' : ` This API is served at ${basePath}.`;
  return new HttpError('not-found', `The path ${path} does not exist.${hint}`);
}

export function notAllowed(method: string, methods: readonly string[]): HttpError {
  const allow = methods.join(', ');
  // RFC 9110, section 15.5.6: "The origin server MUST generate an Allow header field".
  return new HttpError('method-not-allowed', `${method} is not allowed here: use ${allow}.`, {
    headers: { allow },
  });
}

export function invalidRequest(violations: readonly Violation[]): HttpError {
  const message = violations.map((violation) => violation.message).join(' ');
  return new HttpError('invalid-request', message, { violations });
}

export function invalidBody(message: string): HttpError {
  return invalidRequest([{ in: 'body', pointer: '', message }]);
}

export function badPath(name: string): HttpError {
  const message = `path.${name} has invalid percent-encoding.`;
  return invalidRequest([{ in: 'path', pointer: `/${escapeName(name)}`, message }]);
}

export function bodyTooLarge(maxBytes: number): HttpError {
  return new HttpError('too-large', `The request body is larger than ${maxBytes} bytes.`);
}

/** @param headers what is supported: `Accept` or `Accept-Encoding` (RFC 9110, section 15.5.16) */
export function unsupported(message: string, headers: Readonly<Record<string, string>>): HttpError {
  return new HttpError('unsupported-media-type', message, { headers });
}
