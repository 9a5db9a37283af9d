import type { CallOptions, FetchLike, RetryOptions, SharedCallOptions } from '../call-options.ts';
import { BerthError } from '../errors.ts';
import { GATEWAY_HEADERS_SECONDS } from '../generated/contract.gen.ts';
import { type Deadline, openDeadline } from './deadline.ts';
import { networkFailure, type RememberedCall, rememberCall, timeoutFailure } from './failures.ts';
import { mergeRetry, mergeTimeouts } from './options.ts';
import { assertSupported, encodeForm, isStream } from './to-body.ts';

/** Slightly longer than the gateway waits for a service, so that the gateway's own response arrives (D13). */
const DEFAULTS = { perTry: GATEWAY_HEADERS_SECONDS * 1000 + 5_000, total: 120_000 };

/** Tolerated clock difference in milliseconds, since a response takes time to arrive. */
const CLOCK_TOLERANCE = 30_000;

/** Headers, keyed by lowercase name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** A call, which may consist of several attempts. */
export interface PipelineCall extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderRecord;
  readonly body?: RequestInit['body'];
  /** More options for `fetch`. */
  readonly init?: RequestInit | undefined;
}

/**
 * Whether a failed response allows a retry. With `any`, the call was not executed, so any call may be
 * retried. With `idempotent`, the call may have been executed, so only idempotent calls are retried. With
 * `unauthorized`, the call was not executed, and a new token or a corrected clock may help.
 */
export type RetryClass = 'any' | 'idempotent' | 'never' | 'unauthorized';

/** Adds credentials to attempts. */
export interface Signer {
  /** Returns the headers of an attempt, including credentials. */
  sign(call: PipelineCall, headers: HeaderRecord, now: number): Promise<HeaderRecord>;
  /** Whether there are new credentials after `unauthorized`. Receives the headers of the rejected attempt. */
  refresh?: (refused: HeaderRecord) => Promise<boolean>;
}

interface PipelineOptions extends SharedCallOptions {
  readonly fetch?: FetchLike | undefined;
  /** How `fetch` handles redirects, unless the call overrides it. Default: that of `fetch`. */
  readonly redirect?: RequestInit['redirect'] | undefined;
  /** Header with the hosted service's own status (D10). Default: the contract's. */
  readonly upstreamStatus?: string | undefined;
  readonly signer?: Signer | undefined;
  /** Classifies a failed response. Clone it to read its body. */
  classify(response: Response): RetryClass | Promise<RetryClass>;
}

export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * Creates the pipeline that all calls pass through. It adds credentials, enforces time limits and
 * retries failed calls (D6, D26).
 */
export function createPipeline(options: PipelineOptions) {
  const { fetch = platformFetch, signer, upstreamStatus } = options;
  const renewal = createRenewal(signer);
  const timeouts = mergeTimeouts(DEFAULTS, options.timeouts);
  const clientRetry = mergeRetry(options.retry);

  const open = (call: Pick<PipelineCall, 'method' | 'url' | 'signal' | 'timeouts'>) =>
    openDeadline(call.signal, mergeTimeouts(timeouts, call.timeouts), (timeout) =>
      timeoutFailure(call, 'No response within', timeout),
    );

  const sign = async (call: PipelineCall) =>
    signer ? signer.sign(call, call.headers, renewal.now()) : call.headers;

  const describe = ({ method, url }: Pick<PipelineCall, 'method' | 'url'>): RememberedCall => ({
    method,
    url,
    upstreamStatus,
  });

  /** Returns a call whose body `fetch` can send. */
  const toSendable = async (call: PipelineCall): Promise<PipelineCall> => {
    if (!options.fetch) assertSupported(call.body);
    if (!options.fetch || !(call.body instanceof FormData)) return call;
    const { body, type } = await encodeForm(call.body);
    return { ...call, body, headers: { 'content-type': type, ...call.headers } };
  };

  /**
   * Sends a call until it gets a response that is not retried, whatever the status, and reads it with
   * `finish`. That is part of the attempt: if it fails, the call is retried as well.
   *
   * @throws NetworkError, TimeoutError, or the reason of the signal
   */
  async function send<T = Response>(
    given: PipelineCall,
    finish?: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const call = await toSendable(given);
    const { method, url, body = null, init, idempotent = method !== 'POST' } = call;
    const redirect = init?.redirect ?? options.redirect ?? 'follow';
    const deadline = open(call);
    const retry = mergeRetry(clientRetry, call.retry);
    let renewals = 0;

    /** Returns the delay of the next attempt in milliseconds, or `undefined` if there is none. */
    const nextDelay = async (
      retryClass: RetryClass,
      attempt: number,
      mark: number,
      response?: Headers,
      headers?: HeaderRecord,
    ): Promise<number | undefined> => {
      if (retryClass === 'unauthorized') {
        if (renewals) return undefined;
        renewals = 1;
        // Credentials that come with the call cannot be renewed.
        const refused = call.headers.authorization ? undefined : headers;
        const isNew = await renewal.renew(mark, response, refused);
        // Renew even if the call was a stream, so that the next call works.
        return isNew && !isStream(body) ? 0 : undefined;
      }
      const isAllowed = retryClass === 'any' || (idempotent && retryClass === 'idempotent');
      if (!isAllowed || isStream(body)) return undefined;
      return retryDelay(retry, attempt - renewals, response, deadline.left());
    };

    return runTries(deadline, async (attempt) => {
      const mark = renewal.mark();
      try {
        return await deadline.step(async (step) => {
          const signal = step.signal();
          const headers = await sign(call);
          signal.throwIfAborted();
          const sent = describe(call);
          // Streams need `duplex`; other bodies ignore it.
          const request = { method, headers, body, signal, redirect, duplex: 'half' };
          let response: Response;
          try {
            response = await fetch(url, { ...init, ...request } as RequestInit);
          } catch (error) {
            throw networkFailure(sent, error);
          }
          rememberCall(response, sent);
          if (!response.ok) {
            const retryClass = await options.classify(response);
            step.extend(0);
            const delay = await nextDelay(retryClass, attempt, mark, response.headers, headers);
            if (delay !== undefined) {
              response.body?.cancel().catch(() => {});
              return { delay };
            }
          }
          step.extend(0);
          return { result: finish ? await finish(response) : (response as T) };
        });
      } catch (error) {
        // No status means that the response is missing or incomplete.
        if (!(error instanceof BerthError) || error.status !== undefined) throw error;
        const delay = await nextDelay('idempotent', attempt, mark);
        if (delay === undefined) throw error;
        return { delay };
      }
    });
  }

  return { open, sign, describe, renewal, send };
}

/**
 * Looks up the platform's `fetch` for each call, so that later replacements (by a test or a tracer) take
 * effect.
 */
export function platformFetch(request: Request | string, init?: RequestInit): Promise<Response> {
  return globalThis.fetch(request, init);
}

/** The outcome of an attempt: a result, or how long to wait until the next one. */
type Outcome<T> = { readonly result: T } | { readonly delay: number };

/** Makes attempts until one of them succeeds, and waits between them. */
export async function runTries<T>(
  deadline: Deadline,
  tryOnce: (attempt: number) => Promise<Outcome<T>>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(attempt);
    if ('result' in outcome) return outcome.result;
    await deadline.pause(outcome.delay);
  }
}

/**
 * Renews credentials for all calls of a client. Only one refresh runs at a time, and waiting calls share its
 * result. If a call is rejected and the response did not come from a cache, the clock is adjusted to the
 * response's `Date` header (RFC 9110, section 6.6.1; D18).
 */
function createRenewal(signer: Signer | undefined) {
  let skew = 0;
  let count = 0;
  const refresh = signer?.refresh && singleFlight(signer.refresh);
  const now = () => Date.now() + skew;
  return {
    /** Returns the server's time in milliseconds since the epoch. */
    now,
    /** Returns the number of renewals so far. A call remembers it at the start of an attempt. */
    mark: () => count,
    /**
     * Whether another attempt would have new credentials to send.
     *
     * @param response headers of the refusal
     * @param refused headers of the attempt, if they contain the client's credentials
     */
    async renew(mark: number, response: Headers | undefined, refused: HeaderRecord | undefined) {
      if (mark !== count) return true;
      const off = Date.parse(response?.get('Date') ?? '') - now();
      if (Math.abs(off) > CLOCK_TOLERANCE) {
        skew += off;
        count += 1;
      }
      if (refused && (await refresh?.(refused)) && mark === count) count += 1;
      return mark !== count;
    },
  };
}

/**
 * Returns the milliseconds until the next attempt. The delay grows exponentially, with full jitter, and is at
 * least the response's `Retry-After`, which is in seconds or a date (RFC 9110, section 10.2.3). Returns
 * `undefined` if there is no next attempt, because no attempts are left or because the server asks for a
 * longer wait than the options or the remaining time allow.
 *
 * @param attempt number of the failed attempt, starting at 1
 * @param left remaining time of the call, in milliseconds
 */
export function retryDelay(
  retry: RetryOptions | false,
  attempt: number,
  headers?: Pick<Headers, 'get'>,
  left = Number.POSITIVE_INFINITY,
): number | undefined {
  if (!retry) return undefined;
  const { attempts = 3, baseDelay = 250, maxDelay = 8_000, maxRetryAfter = 30_000 } = retry;
  const asked = toMilliseconds(headers);
  if (attempt >= attempts || asked > maxRetryAfter) return undefined;
  const span = Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
  const delay = Math.max(Math.random() * span, asked);
  return delay < left ? delay : undefined;
}

function toMilliseconds(headers: Pick<Headers, 'get'> | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // A date refers to the server's clock, so count the wait from the response's `Date`.
  const from = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - from || 0;
}

/** Makes concurrent callers share one run of a function. Later callers run it again, even after a failure. */
export function singleFlight<Argument, Value>(
  run: (argument: Argument) => Promise<Value>,
): (argument: Argument) => Promise<Value> {
  let pending: Promise<Value> | undefined;
  return (argument) => {
    pending ??= run(argument).finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
