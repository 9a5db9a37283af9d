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
export function isOfFamily(value: unknown, name?: string): boolean {
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
