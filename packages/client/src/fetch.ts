import type { Session } from './auth.ts';
import { type CallBudget, pause, withBudget } from './budget.ts';
import { type CallOptions, type Limits, withoutCallOptions } from './call-options.ts';
import { type CallInfo, networkError, optionsError } from './errors.ts';
import type { Retry } from './retry-rules.ts';
import { assertUnread, closeOnFailure, discard, isStream } from './streams.ts';
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

type Input = string | URL | Request;

/** A `Request`, or just its URL. */
type Target = CallInfo & Partial<Omit<Request, keyof CallInfo>>;

export interface Sender {
  readonly limits: Limits;
  /** Headers of the client, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request within the budget of its call. `type` is the media type to send if no header sets one. */
  send(
    target: Target,
    init: FetchInit,
    budget: CallBudget,
    type?: string | null,
  ): Promise<Response>;
}

interface SenderOptions {
  readonly limits: Limits;
  readonly fetch?: FetchLike | undefined;
  readonly session?: Session | undefined;
  readonly headers?: RequestInit['headers'];
  /** Start of the URLs that get credentials, headers and limits. Default: none. */
  readonly scope?: string | undefined;
  /** Returns which calls may be retried after a failed response: with new credentials, every call. */
  readonly classify: (response: Response) => Retry | 'renew' | Promise<Retry | 'renew'>;
}

/** Limits of calls that are not in scope. */
const NO_LIMITS: Limits = { timeout: 0, attempts: 1, delay: 0 };

/**
 * Creates the sender of all calls of a client. It adds credentials to each attempt, and retries failed attempts. Like
 * the platform's `fetch`, it returns a response whatever its status.
 */
export function createSender(options: SenderOptions): Sender {
  const { limits, scope, classify } = options;
  // Looked up for each call, so that a test or a tracer can replace it later.
  const { fetch: platformFetch = (url, init) => globalThis.fetch(url, init) } = options;
  const clientHeaders = toRecord(options.headers);

  const send: Sender['send'] = async (target, init, budget, type) => {
    const isInScope = !!scope && target.url.startsWith(scope);
    const session = isInScope ? options.session : undefined;
    const request = await toRequest(target, init, isInScope ? clientHeaders : {});
    if (type) request.headers['content-type'] ??= type;
    // A redirect would send the credentials elsewhere, and the contract has no redirects.
    if (isInScope) request.redirect = 'manual';
    const { signal } = budget;
    let isRenewed = false;
    for (;;) {
      const signed = await session?.sign(request);
      const { headers } = signed ?? request;
      signal.throwIfAborted();
      let response: Response;
      try {
        const requestInit = { ...request, headers, signal, duplex: 'half' };
        response = await platformFetch(request.url, requestInit as RequestInit);
        if (response.ok || !(session || budget.hasRetry())) return response;
      } catch (error) {
        signal.throwIfAborted();
        await budget.waitForRetry(networkError('No response', request, error));
        continue;
      }
      const retry = await classify(response);
      const canRenew = retry === 'renew' && !isRenewed;
      // Renewed even for a stream, so that the next call succeeds.
      const isNew = canRenew && (await session?.renew(signed, response.headers));
      // A stream can be read only once.
      if (isStream(request.body)) return response;
      // New credentials are not counted as a retry.
      const wait = isNew ? 0 : budget.takeRetry(retry, response.headers);
      if (wait === undefined) return response;
      if (isNew) isRenewed = true;
      discard(response.body);
      await pause(wait, signal);
    }
  };

  return { limits, headers: clientHeaders, send };
}

/** Creates a `fetch` like the platform's, which also takes the options of this client, from a sender and its scope. */
export function createFetch({ limits, send }: Sender, scope: string) {
  return (input: Input, options: FetchInit = {}): Promise<Response> =>
    closeOnFailure(options.body, async () => {
      const target = toTarget(input);
      const all = { ...options, signal: options.signal ?? target.signal };
      const init = withoutCallOptions(all);
      if (!init.body) assertUnread(target);
      const method = (init.method ?? target.method ?? 'GET').toUpperCase();
      const info = { method, url: target.url };
      const defaults = info.url.startsWith(scope) ? limits : NO_LIMITS;
      return withBudget(all, defaults, info, async (budget) => {
        let { body } = init;
        const isTyped = typeof body === 'string' || TYPED.some((type) => body instanceof type);
        const encoded = new Response(isTyped ? body : null);
        // Encoded once, so that it can be signed and sent again with the same boundary.
        if (body instanceof FormData) body = await encoded.arrayBuffer();
        const type = encoded.headers.get('Content-Type');
        return send(target, { ...init, method, body }, budget, type);
      });
    });
}

/** Returns headers by lowercase name. */
export function toRecord(headers: RequestInit['headers'] = {}): Record<string, string> {
  const all = new Headers();
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers)) {
    try {
      all.append(name as string, value as string);
    } catch {
      // The platform's error would show the value, which may be a credential.
      throw optionsError(`${name} has invalid characters.`);
    }
  }
  return Object.fromEntries(all);
}

function toTarget(input: Input): Target {
  // The `Request` may come from another package.
  if (typeof input === 'object' && 'headers' in input) return input;
  const url = parseUrl(String(input), pageUrl())?.href;
  if (url !== undefined) return { url };
  throw optionsError('The URL must be an absolute http(s) URL without credentials.');
}

/** Bodies that have a media type, besides strings. Those of another package are passed through unchanged. */
const TYPED = [Blob, FormData, URLSearchParams];

/** Returns the request that each attempt sends, without credentials. */
async function toRequest(target: Target, init: FetchInit, clientHeaders: Sender['headers']) {
  const { cache, credentials, integrity, keepalive, mode } = target;
  const { redirect, referrer, referrerPolicy } = target;
  const fetchOptions = { cache, credentials, integrity, keepalive, mode };
  const copied = { ...fetchOptions, redirect, referrer, referrerPolicy };
  const method = init.method ?? target.method ?? 'GET';
  // Merged here for all calls. `post` also merges them before `fetch` adds a media type, which would take precedence.
  const headers = { ...clientHeaders, ...toRecord(init.headers ?? target.headers) };
  const isBodiless = /^(GET|HEAD)$/.test(method);
  const body = init.body ?? (isBodiless ? null : await target.arrayBuffer?.());
  if (isBodiless && body !== null) throw optionsError(`A ${method} request cannot have a body.`);
  return { ...copied, ...init, method, url: target.url, headers, body };
}
