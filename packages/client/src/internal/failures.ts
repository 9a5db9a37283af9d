import { type BerthErrorDetails, NetworkError, TimeoutError } from '../errors.ts';

/** The call that a response belongs to, as error messages describe it. */
export interface RememberedCall {
  readonly method: string;
  readonly url: string;
  /** Header with the hosted service's own status (D10). */
  readonly upstreamStatus?: string | undefined;
}

interface ResponseLike {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly url?: string;
}

const calls = new WeakMap<ResponseLike, RememberedCall>();

/** Remembers which call a response belongs to, for {@link rememberedCall}. */
export function rememberCall<T extends ResponseLike>(response: T, call: RememberedCall): T {
  calls.set(response, call);
  return response;
}

/** Returns the call that a response belongs to, even if another client made it. */
export function rememberedCall(response: ResponseLike): RememberedCall {
  return (
    calls.get(response) ?? {
      method: 'call of',
      url: response.url || 'an unknown path',
    }
  );
}

/** Returns the path of a URL without the query, which may contain a signature. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/';
}

/** Returns the details of an error from its response. Leaves out fields that are not strings. */
export function describeResponse(
  response: ResponseLike,
  what: string,
  said: { readonly code?: unknown; readonly message?: unknown; readonly requestId?: unknown } = {},
): BerthErrorDetails & { readonly status: number } {
  const { method, url } = rememberedCall(response);
  const show = (value: unknown) => (typeof value === 'string' && value ? value : undefined);
  return {
    what,
    method,
    path: pathOf(url),
    status: response.status,
    code: show(said.code),
    text: show(said.message),
    requestId: show(said.requestId) ?? requestIdOf(response),
  };
}

export function requestIdOf({ headers }: ResponseLike): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}

export function networkFailure(
  { method, url }: RememberedCall,
  error: unknown,
  what = 'No response',
): NetworkError {
  return new NetworkError({ what, method, path: pathOf(url), text: deepest(error), cause: error });
}

/** Returns the innermost cause, because a message such as `fetch failed` does not help. */
function deepest(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}

export function timeoutFailure(
  { method, url }: Pick<RememberedCall, 'method' | 'url'>,
  what: string,
  timeout: number,
): TimeoutError {
  return new TimeoutError({ what: `${what} ${timeout} ms`, method, path: pathOf(url), timeout });
}

/**
 * Creates the error for a failed transfer. If there is a `cause`, the connection failed; otherwise, the
 * transfer made no progress for `timeout` milliseconds.
 */
export function transferFailure(
  call: RememberedCall,
  what: string,
  timeout: number,
  cause: unknown,
): Error {
  if (cause !== undefined) return networkFailure(call, cause, what);
  return timeoutFailure(call, `${what}: no progress for`, timeout);
}

/**
 * Reads the body of a response as text.
 *
 * @param most maximum size in bytes; a longer body is cut off there
 * @throws NetworkError if the connection is lost
 */
export async function readText(
  response: Response,
  most = Number.POSITIVE_INFINITY,
): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let left = most; reader && left >= 0; ) {
      const { value } = await reader.read();
      if (!value) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      left -= value.length;
    }
  } catch (error) {
    throw networkFailure(rememberedCall(response), error, 'The response was interrupted');
  }
  reader?.cancel().catch(() => {});
  return text;
}
