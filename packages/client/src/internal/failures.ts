import { type BerthErrorDetails, NetworkError, TimeoutError } from '../errors.ts';

/** What is kept of the call that led to an answer. */
export interface RememberedCall {
  readonly method: string;
  readonly url: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly upstreamStatus?: string | undefined;
  /** Credentials that were sent. */
  readonly secrets: () => readonly string[];
}

/** An answer of `fetch`, of `XMLHttpRequest` or of `node:http`. */
interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly url?: string;
}

const calls = new WeakMap<Answer, RememberedCall>();

/** Keeps the call of a response, for {@link rememberedCall}. */
export function rememberCall<T extends Answer>(answer: T, call: RememberedCall): T {
  calls.set(answer, call);
  return answer;
}

/** The call that led to a response, also if its client has not kept it. */
export function rememberedCall(answer: Answer): RememberedCall {
  return (
    calls.get(answer) ?? {
      method: 'call of',
      url: answer.url || 'an unknown path',
      secrets: () => [],
    }
  );
}

/** Path of an address, without its query, which may hold a signature. */
export function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/';
}

/** The parts of a credential or a signed address that are secret by themselves (D16). */
const SECRET_PARTS = /(?<=(?:sign|signature|token)=)[^,&\s]+/gi;

/**
 * Replaces each secret in a text by `[redacted]`, also if only what follows its scheme
 * (`Bearer …`) is there, or only the signature or the token within it.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [
      secret,
      secret.slice(secret.indexOf(' ') + 1),
      ...(secret.match(SECRET_PARTS) ?? []),
    ])
    .filter(Boolean)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

/**
 * What an error shows of the response behind it. What the response says itself loses the credentials of
 * the call; what is no text is left out.
 */
export function describeResponse(
  answer: Answer,
  what: string,
  said: { readonly code?: unknown; readonly message?: unknown; readonly requestId?: unknown } = {},
): BerthErrorDetails & { readonly status: number } {
  const { method, url, secrets } = rememberedCall(answer);
  const show = (value: unknown) =>
    typeof value === 'string' && value ? redact(value, secrets()) : undefined;
  return {
    what,
    method,
    path: pathOf(url),
    status: answer.status,
    code: show(said.code),
    text: show(said.message),
    requestId: show(said.requestId) ?? requestIdOf(answer),
  };
}

/** The request identifier in the header of an answer (D9). */
export function requestIdOf({ headers }: Answer): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}

/** The error of a call whose answer did not come, or broke off. */
export function networkFailure(
  { method, url, secrets }: Omit<RememberedCall, 'upstreamStatus'>,
  error: unknown,
  what = 'No answer came',
): NetworkError {
  const cause = toSafeCause(error, [...secrets(), url, url.replace(/^[^?]*/, '')]);
  return new NetworkError({ what, method, path: pathOf(url), text: deepest(cause), cause });
}

/** A copy of the platform's error: one platform puts the address, query included, into its fields. */
function toSafeCause(error: unknown, secrets: readonly string[]): Error {
  const { name, message, code, cause } = (
    error instanceof Error ? error : { message: String(error) }
  ) as Partial<Error> & { code?: unknown };
  const copy = new Error(
    redact(message ?? '', secrets),
    cause instanceof Error ? { cause: toSafeCause(cause, secrets) } : undefined,
  );
  if (name) copy.name = name;
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

/** `fetch failed` says nothing; what is behind it does. */
function deepest(error: Error): string {
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}

/** The error of a limit that passed, in milliseconds. */
export function timeoutFailure(
  { method, url }: Pick<RememberedCall, 'method' | 'url'>,
  what: string,
  timeout: number,
): TimeoutError {
  return new TimeoutError({ what: `${what} ${timeout} ms`, method, path: pathOf(url), timeout });
}

/**
 * The error of a transfer whose connection failed, or, without a cause, in which nothing moved for
 * `timeout` milliseconds.
 */
export function transferFailure(
  call: Omit<RememberedCall, 'upstreamStatus'>,
  what: string,
  timeout: number,
  cause: unknown,
): Error {
  if (cause !== undefined) return networkFailure(call, cause, what);
  return timeoutFailure(call, `${what}: nothing moved for`, timeout);
}

/**
 * Reads the body of an answer as text.
 *
 * @throws NetworkError if it breaks off
 */
export function readText(response: Response): Promise<string> {
  return response.text().catch((error) => {
    throw networkFailure(rememberedCall(response), error, 'The answer broke off');
  });
}
