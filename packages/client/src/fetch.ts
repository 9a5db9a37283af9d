import type { Session } from './auth.ts';
import { discard, isStream } from './body.ts';
import { BerthError, type CallInfo, checkNumber, networkError } from './errors.ts';
import { isFetchable, pageUrl } from './urls.ts';

/** Options for one call. Unset options use the values of the client. */
export interface CallOptions extends LimitOptions {
  /** Aborts the call, even between two attempts. The call then rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call may be executed twice, and so be retried after any temporary failure. Default: `true` for GET and
   * HEAD, `false` for POST.
   */
  readonly idempotent?: boolean | undefined;
}

/** Options for a client, or for a single call. */
export interface LimitOptions {
  /**
   * How long a call may take in milliseconds, with its retries and, if the client reads it, its body. `0`: no limit.
   * Default: 120,000; for uploads and downloads no limit.
   */
  readonly timeout?: number | undefined;
  /** How to retry failed calls, or `false`. Credentials are renewed in any case. Default: `{ attempts: 3, delay: 250 }`. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * How to retry failed calls. Waits are random, up to a limit that doubles with each retry, and at least as long as
 * the server's `Retry-After`. If that is longer than 30 s, or than the time that is left, the call fails at once.
 */
export interface RetryOptions {
  /** Number of attempts, including the first. Default: 3. */
  readonly attempts?: number | undefined;
  /** Maximum wait before the first retry, in milliseconds. Default: 250. No wait is longer than 8,000. */
  readonly delay?: number | undefined;
}

/** Options of `fetch`, and of this client. */
export type FetchInit = {
  readonly [Name in keyof RequestInit]?: RequestInit[Name] | undefined;
} & Omit<CallOptions, 'signal'>;

/**
 * The `fetch` that sends each attempt: the platform's, undici's, or your own for a proxy or a test. It gets an absolute
 * URL, and must respect `signal` and `redirect`.
 *
 * @example
 * import { EnvHttpProxyAgent, fetch } from 'undici';
 * const dispatcher = new EnvHttpProxyAgent();
 * const viaProxy: FetchLike = async (url, init) =>
 *   (await fetch(url, { ...init, dispatcher } as object)) as unknown as Response;
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/**
 * What a failed response says about another attempt: `any` call may be sent again, because this one was not
 * executed; only an `idempotent` one, because it may have been; `never`; or credentials are `unauthorized`, and new
 * ones may help.
 */
export type RetryClass = 'any' | 'idempotent' | 'never' | 'unauthorized';

/** A `fetch` that also takes the options of this client, and a limit that has begun already. */
export type Send = (
  input: string | URL | Request,
  init?: FetchInit,
  limit?: Limit,
) => Promise<Response>;

interface FetchSetup {
  readonly limits: Limits;
  readonly fetch?: FetchLike | undefined;
  readonly session?: Session | undefined;
  readonly headers?: RequestInit['headers'];
  /** Start of the URLs that get credentials and headers. Default: all. */
  readonly scope?: string | undefined;
  readonly redirect: 'manual' | 'follow';
  readonly classify: (response: Response) => RetryClass | Promise<RetryClass>;
}

/** How long a call may take, and how it is retried, with a value for each option. */
export interface Limits {
  /** `0`: no limit. */
  readonly timeout: number;
  readonly retry: { readonly attempts: number; readonly delay: number };
}

/** The time is slightly longer than the gateway may take for a call and its retry. */
const DEFAULTS: Limits = { timeout: 120_000, retry: { attempts: 3, delay: 250 } };

const MAX_DELAY = 8_000;

const MAX_RETRY_AFTER = 30_000;

/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/**
 * Creates the one function through which every call of a client goes: it adds credentials to each attempt, limits
 * the call and retries it. Like `fetch`, it returns a response whatever its status.
 */
export function createFetch(setup: FetchSetup): Send {
  const { session, scope = '', classify } = setup;
  // Looked up for each call, so that a test or a tracer can replace it later.
  const { fetch = (url: string, init: RequestInit) => globalThis.fetch(url, init) } = setup;
  const clientHeaders = toRecord(setup.headers);

  async function attempt(call: Call, limit: Limit): Promise<Response> {
    const { signal } = limit;
    const credentials = call.isInScope ? session : undefined;
    const redirect = call.isInScope ? setup.redirect : (call.init.redirect ?? 'follow');
    let isRenewed = false;
    for (;;) {
      const signed = await credentials?.sign(call);
      const headers = signed?.headers ?? call.headers;
      signal.throwIfAborted();
      limit.attempts += 1;
      let response: Response | undefined;
      let failure: BerthError | undefined;
      try {
        const { method, body } = call;
        const request = { ...call.init, method, headers, body, signal, redirect, duplex: 'half' };
        response = await fetch(call.url, request as RequestInit);
      } catch (error) {
        signal.throwIfAborted();
        failure = networkError('No response', call, error);
      }
      if (response?.ok) return response;
      const retryClass = response ? await classify(response) : 'idempotent';
      let delay: number | undefined;
      if (retryClass === 'unauthorized') {
        // Renewed even for a stream, which cannot be sent again, so that the next call succeeds.
        const isNew = !isRenewed && signed && (await credentials?.renew(signed, response?.headers));
        if (isNew) delay = 0;
        isRenewed = true;
        limit.attempts -= 1;
      } else if (retryClass === 'any' || (retryClass === 'idempotent' && call.isIdempotent)) {
        delay = delayAfter(limit, response?.headers);
      }
      if (delay === undefined || call.isOnce) {
        if (response) return response;
        throw failure;
      }
      response?.body?.cancel().catch(() => {});
      await pause(delay, signal);
    }
  }

  return async (input, init = {}, limit) => {
    // A `Request` may be one of another package.
    const request = typeof input === 'object' && 'headers' in input ? input : undefined;
    const url = request?.url ?? toUrl(String(input));
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
    const run = async (started: Limit) => {
      const client = { scope, headers: clientHeaders };
      const call = await toCall({ url, method, request }, init, client);
      return attempt(call, started).catch((error) => {
        discard(call.body);
        throw error;
      });
    };
    if (limit) return run(limit);
    const signal = init.signal ?? request?.signal;
    return withLimit({ ...init, signal }, setup.limits, { url, method }, run);
  };
}

/** @throws BerthError of the kind `options`, which does not show a password */
function toUrl(text: string): string {
  const page = pageUrl();
  const url = URL.canParse(text, page) ? new URL(text, page).href : '';
  if (isFetchable(url)) return url;
  throw new BerthError('options', 'The URL must be an http(s) URL without a password.');
}

/** A call, which may take several attempts. */
type Call = Awaited<ReturnType<typeof toCall>>;

/** Properties of a `Request` that each attempt keeps, unless they have their defaults, which `fetch` is slow to check. */
const REQUEST_DEFAULTS = {
  cache: 'default',
  credentials: 'same-origin',
  integrity: '',
  keepalive: false,
  mode: 'cors',
  redirect: 'follow',
  referrer: 'about:client',
  referrerPolicy: '',
} as const;

async function toCall(
  { url, method, request }: { url: string; method: string; request: Request | undefined },
  init: FetchInit,
  client: { readonly scope: string; readonly headers: Readonly<Record<string, string>> },
) {
  const { options, rest } = splitOptions(init);
  const isBodiless = method === 'GET' || method === 'HEAD';
  const isInScope = url.startsWith(client.scope);
  const headers = isInScope ? { ...client.headers } : {};
  Object.assign(headers, toRecord(init.headers ?? request?.headers));
  let body = init.body ?? (isBodiless ? undefined : await request?.arrayBuffer());
  if (isBodiless && body !== undefined && body !== null) {
    throw new BerthError('options', `A ${method} request cannot have a body.`);
  }
  if (body instanceof FormData) {
    // Encoded once, so that it can be signed and sent again with the same boundary.
    const encoded = new Response(body);
    headers['content-type'] ??= encoded.headers.get('Content-Type') ?? '';
    body = await encoded.arrayBuffer();
  }
  const kept: Record<string, unknown> = {};
  for (const [name, value] of request ? Object.entries(REQUEST_DEFAULTS) : []) {
    const actual = request?.[name as keyof typeof REQUEST_DEFAULTS];
    if (actual !== value) kept[name] = actual;
  }
  return {
    url,
    /** Whether the URL may get what the client adds: credentials and headers. */
    isInScope,
    method,
    headers,
    body,
    init: { ...kept, ...(rest as RequestInit) },
    isIdempotent: options.idempotent ?? isBodiless,
    /** Whether the body can be read only once. */
    isOnce: isStream(body),
  };
}

/** Separates the options of this client, which every method passes on, from all others. */
export function splitOptions<Options extends Pick<FetchInit, keyof CallOptions>>(all: Options) {
  const { signal, timeout, retry, idempotent, ...rest } = all;
  return { options: { signal, timeout, retry, idempotent }, rest };
}

export function toRecord(headers: FetchInit['headers']): Record<string, string> {
  if (!headers) return {};
  if (headers instanceof Headers) return Object.fromEntries(headers);
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The platform's error would show the value, which may be a credential.
    throw new BerthError('options', 'A header has an invalid name or value.');
  }
}

/**
 * Completes the options of a call with those of the client.
 *
 * @throws BerthError of the kind `options`
 */
export function toLimits({ timeout, retry }: LimitOptions, client = DEFAULTS): Limits {
  const options = retry === false ? { attempts: 1 } : retry;
  const { attempts = client.retry.attempts, delay = client.retry.delay } = options ?? {};
  const limits = {
    timeout: timeout === undefined ? client.timeout : timeout,
    retry: { attempts, delay },
  };
  checkNumber('timeout', limits.timeout, 0);
  checkNumber('retry.attempts', attempts, 1);
  checkNumber('retry.delay', delay, 0);
  return limits;
}

export interface Limit extends Pick<Limits, 'retry'> {
  /** Aborts when the time is over, or when the caller aborts. */
  readonly signal: AbortSignal;
  left(): number;
  attempts: number;
}

/**
 * Runs a call within a time limit, even if its `fetch` ignores the signal. When it is over, only the caller can
 * still abort the body.
 *
 * @throws BerthError of the kind `timeout` or `options`, or the reason of the caller's signal
 */
export async function withLimit<T>(
  options: LimitOptions & { readonly signal?: AbortSignal | null | undefined },
  client: Limits,
  call: CallInfo,
  run: (limit: Limit) => Promise<T>,
): Promise<T> {
  const { timeout, retry } = toLimits(options, client);
  const { signal: caller } = options;
  caller?.throwIfAborted();
  const expiry = new AbortController();
  const signal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  const timer = timeout
    ? setTimeout(() => expiry.abort(), Math.min(timeout, MAX_TIMER))
    : undefined;
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  const limit = { signal, retry, left: () => end - performance.now(), attempts: 0 };
  try {
    return await untilAborted(run(limit), signal);
  } catch (error) {
    caller?.throwIfAborted();
    if (!expiry.signal.aborted) throw error;
    throw new BerthError('timeout', `No response within ${timeout} ms`, { call, retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    // A signal with a listener is kept in memory as long as the caller's signal.
    signal?.removeEventListener('abort', stop);
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
  });
  await untilAborted(waiting, signal).finally(() => clearTimeout(timer));
}

/**
 * Returns the milliseconds until the next attempt, with full jitter, or `undefined` if there is none.
 *
 * @param headers those of the response to the last attempt
 */
export function delayAfter(limit: Omit<Limit, 'signal'>, headers?: Headers): number | undefined {
  const { attempts, retry } = limit;
  if (attempts >= retry.attempts) return undefined;
  const minimum = toMilliseconds(headers);
  const random = Math.random() * Math.min(MAX_DELAY, retry.delay * 2 ** (attempts - 1));
  const delay = Math.max(random, minimum);
  return minimum <= MAX_RETRY_AFTER && delay < limit.left() ? delay : undefined;
}

/** Reads `Retry-After`: seconds, or a date by the clock of the server (RFC 9110, section 10.2.3). */
function toMilliseconds(headers: Headers | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const now = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - now || 0;
}
