import type {
  KnownGatewayErrorCode,
  KnownStorageErrorCode,
  KnownUploadErrorCode,
} from './generated/contract.gen.ts';

/**
 * What failed:
 *
 * - `gateway`: the gateway rejected the call, with a `code`.
 * - `service`: the hosted service returned an error status. `body` is what it sent.
 * - `storage`: the storage API rejected the call or the file, even if the status is 200.
 * - `upload`: the upload target rejected the form. Nothing was stored.
 * - `network`: there was no response, or it was interrupted. The call may have been executed.
 * - `timeout`: a time limit of the client was exceeded. The call may have been executed.
 * - `contract`: a successful response has an unexpected form, or your schema rejects it.
 * - `options`: an argument is invalid, or a function that you passed failed. Nothing was sent, unless a stream of yours
 *   turned out to be wrong while it was sent.
 */
export type ErrorKind =
  | 'gateway'
  | 'service'
  | 'storage'
  | 'upload'
  | 'network'
  | 'timeout'
  | 'contract'
  | 'options';

/** A code that editors suggest. A deployment may send others. */
type Code<Known extends string> = Known | (string & Record<never, never>);

/** Fields that some kinds always have. */
interface KindFields {
  readonly gateway: { readonly status: number; readonly code: Code<KnownGatewayErrorCode> };
  readonly service: { readonly status: number };
  readonly storage: { readonly code: Code<KnownStorageErrorCode> | undefined };
  readonly upload: {
    readonly status: number;
    readonly code: Code<KnownUploadErrorCode> | undefined;
  };
}

type OfKind<Kind extends ErrorKind> = BerthError & {
  readonly kind: Kind;
} & (Kind extends keyof KindFields ? KindFields[Kind] : unknown);

/** A {@link BerthError} as a union of its kinds, so that checking `kind` narrows the other fields. */
export type AnyBerthError = { [Kind in ErrorKind]: OfKind<Kind> }[ErrorKind];

/** A problem that a schema found in a payload. */
export interface SchemaIssue {
  /** What is wrong, as worded by the schema. */
  readonly message: string;
  /** Field names and indexes joined by dots, such as `items.0.name`. Empty for the entire payload. */
  readonly path: string;
}

/** What is known about a failure. */
interface Details
  extends Partial<
    Pick<BerthError, 'method' | 'status' | 'code' | 'requestId' | 'retryable' | 'issues' | 'body'>
  > {
  /** URL of the call. Only its path is kept, because a query may contain a signature. */
  readonly url?: string;
  /** Error message of the response. */
  readonly reason?: string | undefined;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** Marks this package's errors, because copies of the package do not share classes. */
const BRAND = Symbol.for('@berth/client.error');

/**
 * Thrown by every method that throws. `kind` says what failed; the message adds the code, the method, the path and the
 * request ID. An aborted call rejects with the `reason` of its signal instead.
 *
 * @example
 * try {
 *   await gateway.service('users').get('7');
 * } catch (error) {
 *   if (isBerthError(error)) console.error(error.kind, error.message, error.requestId);
 * }
 */
export class BerthError extends Error {
  /** Always `BerthError`. */
  override readonly name = 'BerthError';
  /** What failed. */
  readonly kind: ErrorKind;
  /** Error code of the response; `undefined` if it has none. */
  readonly code: string | undefined;
  /** HTTP status of the response; `undefined` if there was none. */
  readonly status: number | undefined;
  /** Request ID of the response. Include it when you report a problem to the operator. */
  readonly requestId: string | undefined;
  /** HTTP method of the call; `undefined` if nothing was called. */
  readonly method: string | undefined;
  /** Path of the call, without the query. */
  readonly path: string | undefined;
  /** Whether the call may succeed if you repeat it. A POST may already have been executed. */
  readonly retryable: boolean;
  /** Problems that your schema found. Empty for every other failure. */
  readonly issues: readonly SchemaIssue[];
  readonly #body: unknown;

  /** @param what what failed, as the start of a sentence: `The file was not copied` */
  constructor(kind: ErrorKind, what: string, details: Details = {}) {
    const { method, status, code, requestId, cause } = details;
    const path = details.url && toPath(details.url);
    super(toMessage(what, path, details), cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.method = method;
    this.path = path;
    this.retryable = details.retryable ?? false;
    this.issues = details.issues ?? [];
    this.#body = details.body;
  }

  /** Body of the error response of a service or the gateway, parsed if it is JSON. Logs do not show it. */
  get body(): unknown {
    return this.#body;
  }

  get [BRAND](): true {
    return true;
  }
}

function toPath(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/';
}

function toMessage(what: string, path: string | undefined, details: Details): string {
  const { method, status, code, reason, requestId } = details;
  const reasons = [code, reason].filter(Boolean).join(', ');
  const places = [
    method && `${method} ${path}`,
    status && `status ${status}`,
    requestId && `request ID ${requestId}`,
  ].filter(Boolean);
  const message =
    what + (reasons && `: ${reasons}`) + (places.length ? ` (${places.join(', ')})` : '');
  // Text from a server must not add lines to a log.
  return message.replace(/\p{Cc}+/gu, ' ');
}

/**
 * Returns whether a value is an error of this package, or of another copy of it, and narrows its type.
 *
 * @param kind the only kind to accept. Default: any
 *
 * @example
 * if (isBerthError(error, 'storage') && error.code === 'STORAGE_FILE_NONEXIST') return undefined;
 */
export function isBerthError(error: unknown): error is AnyBerthError;
export function isBerthError<Kind extends ErrorKind>(
  error: unknown,
  kind: Kind,
): error is OfKind<Kind>;
export function isBerthError(error: unknown, kind?: ErrorKind): boolean {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return kind === undefined || (error as { kind?: unknown }).kind === kind;
}

/** A call, as errors describe it. */
export interface CallInfo {
  /** Default: `GET`. */
  readonly method?: string | undefined;
  readonly url: string;
}

/** Creates the error for an argument that is not what it must be. The value is not shown: it may be a secret. */
export function invalid(name: string, expected: string, value: unknown): BerthError {
  const actual = value === null ? 'null' : typeof value;
  return new BerthError('options', `${name} must be ${expected}, got ${actual}.`);
}

/** @throws BerthError of the kind `options` */
export function checkNumber(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (typeof value === 'number' && value >= min)) return;
  throw invalid(name, `a number of at least ${min}`, value);
}

/** @throws BerthError of the kind `options`, which shows the value */
export function checkInteger(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  const expected = `an integer of at least ${min}`;
  throw new BerthError('options', `${name} must be ${expected}, got ${String(value)}.`);
}

/**
 * Creates the error for a request without a complete response. Its reason is that of the innermost cause, because
 * a message such as `fetch failed` does not help.
 */
export function networkError(what: string, call: CallInfo, cause: unknown): BerthError {
  const { method = 'GET', url } = call;
  return new BerthError('network', what, {
    method,
    url,
    reason: innermost(cause),
    retryable: true,
    cause,
  });
}

function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}
