import type { Session, SignableRequest } from './auth.ts';
import { discard, isStream } from './body.ts';
import { BerthError, networkError } from './errors.ts';
import {
  type CallBudget,
  type CallOptions,
  delayAfter,
  type Limits,
  pause,
  withBudget,
} from './limits.ts';
import { pageUrl, parseUrl } from './urls.ts';

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

/** A `fetch` that also takes the options of this client, and the budget of a call that has begun. */
export type Send = (
  input: string | URL | Request,
  init?: FetchInit,
  budget?: CallBudget,
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

/** Properties of a `Request` that each attempt keeps. */
const REQUEST_FIELDS = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
] as const;

/**
 * Creates the one function through which every call of a client goes: it adds credentials to each attempt, limits
 * the call and retries it. Like `fetch`, it returns a response whatever its status.
 */
export function createFetch(setup: FetchSetup): Send {
  const { scope = '', classify } = setup;
  // Looked up for each call, so that a test or a tracer can replace it later.
  const { fetch = (url: string, init: RequestInit) => globalThis.fetch(url, init) } = setup;
  const clientHeaders = toRecord(setup.headers);

  return async (input, init = {}, started) => {
    // A `Request` may be one of another package.
    const request = typeof input === 'object' && 'headers' in input ? input : undefined;
    const url = request?.url ?? toUrl(String(input));
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
    const isBodiless = method === 'GET' || method === 'HEAD';
    const { signal = request?.signal, timeout, retry, idempotent = isBodiless, ...rest } = init;
    const isInScope = url.startsWith(scope);
    const session = isInScope ? setup.session : undefined;

    const run = async (budget: CallBudget): Promise<Response> => {
      const kept = request ? REQUEST_FIELDS.map((name) => [name, request[name]]) : [];
      const fields: RequestInit = { ...Object.fromEntries(kept), ...rest };
      const redirect = isInScope ? setup.redirect : (fields.redirect ?? 'follow');
      const headers = isInScope ? { ...clientHeaders } : {};
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
      const call = { ...fields, url, method, headers, body, redirect };
      return sendAttempts(call, session, idempotent, budget).catch((error) => {
        discard(body);
        throw error;
      });
    };
    return started
      ? run(started)
      : withBudget({ signal, timeout, retry }, setup.limits, { url, method }, run);
  };

  async function sendAttempts(
    call: Call,
    session: Session | undefined,
    isIdempotent: boolean,
    budget: CallBudget,
  ): Promise<Response> {
    const { signal } = budget;
    let isRenewed = false;
    for (;;) {
      const signed = await session?.sign(call);
      const { headers } = signed ?? call;
      signal.throwIfAborted();
      budget.count += 1;
      let response: Response | undefined;
      let failure: BerthError | undefined;
      try {
        const init = { ...call, headers, signal, duplex: 'half' };
        response = await fetch(call.url, init as RequestInit);
      } catch (error) {
        signal.throwIfAborted();
        failure = networkError('No response', call, error);
      }
      if (response?.ok) return response;
      const retryClass = response ? await classify(response) : 'idempotent';
      let delay: number | undefined;
      if (retryClass === 'unauthorized') {
        // Renewed even for a stream, which cannot be sent again, so that the next call succeeds.
        const isNew = !isRenewed && signed && (await session?.renew(signed, response?.headers));
        if (isNew) delay = 0;
        isRenewed = true;
        // Renewing credentials does not use up an attempt.
        budget.count -= 1;
      } else if (retryClass === 'any' || (retryClass === 'idempotent' && isIdempotent)) {
        delay = delayAfter(budget, response?.headers);
      }
      // A stream can be read only once.
      if (delay === undefined || isStream(call.body)) {
        if (response) return response;
        throw failure;
      }
      response?.body?.cancel().catch(() => {});
      await pause(delay, signal);
    }
  }
}

type Call = Omit<RequestInit, 'body'> & Omit<SignableRequest, 'now'>;

function toUrl(text: string): string {
  const url = parseUrl(text, pageUrl());
  if (url) return url.href;
  throw new BerthError('options', 'The URL must be an http(s) URL without credentials.');
}

export function toRecord(headers: RequestInit['headers']): Record<string, string> {
  if (!headers) return {};
  if (headers instanceof Headers) return Object.fromEntries(headers);
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The platform's error would show the value, which may be a credential.
    throw new BerthError('options', 'A header has an invalid name or value.');
  }
}
