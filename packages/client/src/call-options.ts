/**
 * How long a call may take, in milliseconds, at least 0. `0` means without end; what is `undefined` is
 * taken from the client, and else is the default.
 *
 * @example
 * const report = await service.get('report', { timeouts: { perTry: 5_000, total: 20_000 } });
 */
export interface Timeouts {
  /**
   * Time until the headers of the answer, anew for each try. Default: 65 s, a little more than the
   * gateway gives a hosted service, so that its own answer SERVICE_TIMEOUT arrives (D13).
   */
  readonly perTry?: number | undefined;
  /**
   * Time of the whole call: all tries, the waits between them, and the body where the client reads it.
   * A body that is handed out (a raw Response, a stream, events) is no longer limited. Default: 120 s.
   */
  readonly total?: number | undefined;
}

/**
 * How a call is repeated; see the README for what is repeated at all. What is `undefined` is taken from
 * the client, and else is the default.
 *
 * @example
 * const patient = { attempts: 5, baseDelay: 500, maxRetryAfter: 60_000 };
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', retry: patient });
 */
export interface RetryOptions {
  /** Tries in all, the first one included. Default: 3. */
  readonly attempts?: number | undefined;
  /** The first wait is a random time up to so many milliseconds, and doubles each time. Default: 250. */
  readonly baseDelay?: number | undefined;
  /** No random wait is longer, in milliseconds. Default: 8,000. */
  readonly maxDelay?: number | undefined;
  /**
   * The longest `Retry-After` that is waited for, in milliseconds. Where the server asks for more, or
   * for more than is left of the total time, the failure is given at once. Default: 30,000.
   */
  readonly maxRetryAfter?: number | undefined;
}

/** What one try is, without its credentials. */
export interface TryEvent {
  /** HTTP method. */
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  /** Headers that are about to be sent; `onRequest` may change them. Credentials come after it. */
  readonly headers: Headers;
  /** 1 for the first try. */
  readonly attempt: number;
}

/**
 * Functions that see each try; a promise is waited for, and an error ends the call with it.
 *
 * @example
 * const hooks: Hooks = {
 *   onRetry: ({ path, attempt, delay }) => log(`${path}: try ${attempt} failed, next in ${delay} ms`),
 * };
 * const traced: Hooks = {
 *   onRequest: ({ headers }) => headers.set('traceparent', currentTraceparent()),
 * };
 */
export interface Hooks {
  /** Before each try. */
  readonly onRequest?: ((event: TryEvent) => void | Promise<void>) | undefined;
  /** After the headers of each answer. Read the body only of a clone. */
  readonly onResponse?:
    | ((event: TryEvent & { readonly response: Response }) => void | Promise<void>)
    | undefined;
  /** Before each wait: `delay` is in milliseconds, `reason` the answer or the error of the try. */
  readonly onRetry?:
    | ((
        event: TryEvent & { readonly delay: number; readonly reason: Response | Error },
      ) => void | Promise<void>)
    | undefined;
}

/**
 * Options of a client and of each of its calls; those of the call win, field by field.
 *
 * @example
 * const quick: SharedCallOptions = { timeouts: { total: 2_000 }, retry: false };
 * const user = await service.get<User>('users/7', quick);
 */
export interface SharedCallOptions {
  /** Time limits. */
  readonly timeouts?: Timeouts | undefined;
  /** Repetition of failed calls; `false` turns it off. A token is refreshed all the same. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * Options of one call.
 *
 * @example
 * const stop = new AbortController();
 * await service.post('orders/7/confirm', {}, { signal: stop.signal, idempotent: true });
 */
export interface CallOptions extends SharedCallOptions {
  /** Ends the call, also while it waits or its body is read; it rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call may be executed twice, and so be repeated after any failure that may pass.
   * Default: `true` for GET and HEAD, `false` for POST.
   */
  readonly idempotent?: boolean | undefined;
}

/**
 * A `fetch`: the platform's, undici's, or your own around one of them, for a proxy, an agent or a
 * test. It gets the address as a string, and has to obey `init.signal` and `init.redirect`.
 *
 * @example
 * import { EnvHttpProxyAgent, fetch } from 'undici';
 * const dispatcher = new EnvHttpProxyAgent();
 * const viaProxy = async (url: string, init: object) =>
 *   (await fetch(url, { ...init, dispatcher })) as unknown as Response; // undici has types of its own
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;
