import type {
  KnownGatewayErrorCode,
  KnownStorageErrorCode,
  KnownUploadErrorCode,
} from './generated/contract.gen.ts';

/** What failed. */
export type ErrorKind =
  /** The gateway rejected the call, with a `code`. */
  | 'gateway'
  /** The hosted service returned an error status. `body` is what it sent. */
  | 'service'
  /** The storage API rejected the call or the file, even if the status is 200, or its response is malformed. */
  | 'storage'
  /** The upload target rejected the form. Nothing was stored. */
  | 'upload'
  /** There was no response, or it was interrupted. The call may have been executed. */
  | 'network'
  /** A time limit of the client was exceeded. The call may have been executed. */
  | 'timeout'
  /** A response of a service has an unexpected format, your schema rejects it, or a raw call got invalid JSON. */
  | 'contract'
  /**
   * An argument is invalid, or your function for credentials failed. Nothing was sent, unless your stream or middleware
   * failed a check.
   */
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

/** A problem that a schema found in a payload, as Standard Schema defines it. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A call, as errors describe it. */
export interface CallInfo {
  /** Default: `GET`. */
  readonly method?: string | undefined;
  /** Only its path is kept, because a query may contain a signature. */
  readonly url: string;
}

interface Details
  extends Partial<Pick<BerthError, 'code' | 'requestId' | 'retryable' | 'issues' | 'body'>> {
  readonly info?: CallInfo | undefined;
  /** Its status is kept, and its request ID unless `requestId` is set. */
  readonly response?: Pick<Response, 'status' | 'headers'> | undefined;
  /** Error message of the response. Default: that of the cause. */
  readonly reason?: string | undefined;
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
  declare readonly kind: ErrorKind;
  /** Error code of the response; `undefined` if it has none. */
  declare readonly code: string | undefined;
  /** HTTP status of the response; `undefined` if there was none. */
  declare readonly status: number | undefined;
  /** Request ID of the response. Include it when you report a problem to the operator. */
  declare readonly requestId: string | undefined;
  /** HTTP method of the call; `undefined` if nothing was called. */
  declare readonly method: string | undefined;
  /** Path of the call, without the query. */
  declare readonly path: string | undefined;
  /** Whether the call may succeed if you repeat it. A POST may already have been executed. */
  declare readonly retryable: boolean;
  /** Problems that your schema found. Empty for every other failure. */
  declare readonly issues: readonly SchemaIssue[];
  readonly #body: unknown;

  /** @param summary what failed, as the start of a sentence: `The file was not copied` */
  constructor(kind: ErrorKind, summary: string, details: Details = {}) {
    const { info, response, code, cause, body, retryable = false, issues = [] } = details;
    const { reason = cause && toReason(cause) } = details;
    const { requestId = response?.headers.get('X-Request-Id') ?? undefined } = details;
    const method = info && (info.method ?? 'GET');
    const path = info && (info.url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/');
    const status = response?.status;
    const reasons = join(code, reason);
    const id = requestId && `request ID ${requestId}`;
    const context = join(info && `${method} ${path}`, status && `status ${status}`, id);
    const message = summary + (reasons && `: ${reasons}`) + (context && ` (${context})`);
    // Text from a server must not add lines to a log.
    super(message.replace(/\p{Cc}+/gu, ' '), cause === undefined ? {} : { cause });
    Object.assign(this, { kind, code, status, requestId, method, path, retryable, issues });
    this.#body = body;
  }

  /** Body of the error response of a service or the gateway, parsed if it is JSON. Logs do not show it. */
  get body(): unknown {
    return this.#body;
  }

  get [BRAND](): true {
    return true;
  }
}

function join(...parts: unknown[]): string {
  return parts.filter(Boolean).join(', ');
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
  const branded = error as Partial<BerthError> | null | undefined;
  return branded?.[BRAND] === true && (kind === undefined || branded.kind === kind);
}

export function contractError(
  response: Response,
  info: CallInfo,
  reason: string,
  issues: readonly SchemaIssue[] = [],
): BerthError {
  return new BerthError('contract', 'Unexpected response', { info, response, reason, issues });
}

/** @param cause the underlying error, if any */
export function optionsError(summary: string, cause?: unknown): BerthError {
  return new BerthError('options', summary, { cause });
}

export function networkError(summary: string, info: CallInfo, cause: unknown): BerthError {
  return new BerthError('network', summary, { info, retryable: true, cause });
}

/**
 * Returns the message of the innermost cause, because an outer message such as `fetch failed` does not help. A host
 * with several addresses fails with one error for each in an `AggregateError`, whose own message is empty. Queries are
 * left out: a custom `fetch` may quote its URL, and the query of a link contains its signature.
 *
 * @param depth number of causes that are followed, because they may be cyclic
 */
function toReason(cause: unknown, depth = 9): string {
  const inner = cause instanceof AggregateError ? cause.errors[0] : (cause as Error | null)?.cause;
  if (depth > 0 && inner instanceof Error) return toReason(inner, depth - 1);
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/\?\S*/g, '');
}
