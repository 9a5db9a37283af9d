import type { Session, SignableRequest } from './auth.ts';
import { parseUrl, toRecord } from './checks.ts';
import { BerthError, networkError } from './errors.ts';
import type { CallBudget, CallOptions, Limits } from './limits.ts';
import { pause, planRetry, withBudget } from './limits.ts';
import { closeOnFailure, discard, isStream } from './streams.ts';
import { pageUrl } from './urls.ts';

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
 * Which calls may be sent again after a failed response: `any`, because this one was not executed; only `idempotent`
 * ones, because it may have been; or `never`. After `unauthorized`, new credentials may help.
 */
export type RetryClass = 'any' | 'idempotent' | 'never' | 'unauthorized';

type Input = string | URL | Request;

export interface Sender {
  readonly limits: Limits;
  /** Sends a call. Like the platform's `fetch`, but it also takes the options of this client. */
  fetch(input: Input, init?: FetchInit): Promise<Response>;
  /** Sends a request within the budget of its call. Its `signal` may abort earlier. */
  send(input: Input, init: FetchInit, budget: CallBudget): Promise<Response>;
}

interface SenderOptions {
  readonly limits: Limits;
  readonly fetch?: FetchLike | undefined;
  readonly session?: Session | undefined;
  readonly headers?: RequestInit['headers'];
  /** Start of the URLs that get credentials, headers and limits. Default: none. */
  readonly scope?: string | undefined;
  readonly classify: (response: Response) => RetryClass | Promise<RetryClass>;
}

/** Limits of calls that are not in scope. */
const NO_LIMITS: Limits = { timeout: 0, attempts: 1, delay: 0 };

/** Properties of a `Request` that each attempt keeps. */
const REQUEST_FIELDS = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'referrer',
  'referrerPolicy',
] as const;

/**
 * Creates the sender of all calls of a client. It adds credentials to each attempt, limits the call and retries it. Like
 * the platform's `fetch`, it returns a response whatever its status.
 */
export function createSender(options: SenderOptions): Sender {
  const { limits, scope, classify } = options;
  // Looked up for each call, so that a test or a tracer can replace it later.
  const { fetch: platformFetch = (url, init) => globalThis.fetch(url, init) } = options;
  const clientHeaders = toRecord(options.headers);
  const isInScope = (url: string) => scope !== undefined && url.startsWith(scope);

  return {
    limits,
    send,
    fetch: (input, { signal, timeout, retry, idempotent, ...init } = {}) =>
      closeOnFailure(init.body, async () => {
        const target = toTarget(input, init);
        const callOptions = {
          signal: signal ?? target.request?.signal,
          timeout,
          retry,
          idempotent,
        };
        const defaults = isInScope(target.url) ? limits : NO_LIMITS;
        return withBudget(callOptions, defaults, target, (budget) => send(input, init, budget));
      }),
  };

  async function send(input: Input, init: FetchInit, budget: CallBudget): Promise<Response> {
    const { request, url, method } = toTarget(input, init);
    const fields: Record<string, unknown> = {};
    if (request) for (const name of REQUEST_FIELDS) fields[name] = request[name];
    const isOurs = isInScope(url);
    const headers = { ...(isOurs && clientHeaders), ...toRecord(init.headers ?? request?.headers) };
    const isBodiless = /^(GET|HEAD)$/.test(method);
    let body = init.body ?? (isBodiless ? null : await request?.arrayBuffer());
    if (isBodiless && body !== null) {
      throw new BerthError('options', `A ${method} request cannot have a body.`);
    }
    if (body instanceof FormData) {
      // Encoded once, so that it can be signed and sent again with the same boundary.
      const encoded = new Response(body);
      headers['content-type'] ??= encoded.headers.get('Content-Type') ?? '';
      body = await encoded.arrayBuffer();
    }
    // A redirect would send the credentials elsewhere, and the contract has no redirects.
    const redirect = isOurs ? 'manual' : (init.redirect ?? request?.redirect);
    const prepared = { ...fields, ...init, url, method, headers, body, redirect };
    const session = isOurs ? options.session : undefined;
    return sendAttempts(prepared as PreparedRequest, budget, session);
  }

  async function sendAttempts(request: PreparedRequest, budget: CallBudget, session?: Session) {
    const signal = request.signal ?? budget.signal;
    let isRenewed = false;
    for (;;) {
      const signed = await session?.sign(request);
      const { headers } = signed ?? request;
      signal.throwIfAborted();
      let response: Response | undefined;
      let failure: BerthError | undefined;
      try {
        const init = { ...request, headers, signal, duplex: 'half' };
        response = await platformFetch(request.url, init as RequestInit);
        if (response.ok || (!session && budget.attempts === 1)) return response;
      } catch (error) {
        signal.throwIfAborted();
        failure = networkError('No response', request, error);
      }
      const retryClass = response ? await classify(response) : 'idempotent';
      let delay: number | undefined;
      if (retryClass === 'unauthorized') {
        // Renewed even for a stream, which cannot be sent again, so that the next call succeeds.
        const isNew = !isRenewed && signed && (await session?.renew(signed, response?.headers));
        // Not counted as a retry.
        if (isNew) delay = 0;
        isRenewed = true;
      } else if (retryClass === 'any' || (retryClass === 'idempotent' && budget.isIdempotent)) {
        delay = planRetry(budget, response?.headers);
      }
      // A stream can be read only once.
      if (delay === undefined || isStream(request.body)) {
        if (response) return response;
        throw failure;
      }
      discard(response?.body);
      await pause(delay, signal);
    }
  }
}

/** A request as each attempt sends it, but without credentials. */
type PreparedRequest = Omit<RequestInit, 'body'> & Omit<SignableRequest, 'now'>;

function toTarget(input: Input, { method }: FetchInit) {
  // A `Request` may be one of another package.
  const request = typeof input === 'object' && 'headers' in input ? input : undefined;
  const url = request?.url ?? parseUrl(String(input), pageUrl())?.href;
  if (url === undefined) {
    throw new BerthError('options', 'The URL must be an http(s) URL without credentials.');
  }
  return { request, url, method: (method ?? request?.method ?? 'GET').toUpperCase() };
}
