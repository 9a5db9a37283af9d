/**
 * Time limits of a call in milliseconds, at least 0; `0` means no limit. A field that is `undefined`
 * is taken from the client, or has its default.
 *
 * @example
 * const report = await service.get('report', { timeouts: { perTry: 5_000, total: 20_000 } });
 */
export interface Timeouts {
  /**
   * Time until the response headers arrive, in milliseconds, for each attempt. Default: 65 s, a little more than the
   * gateway gives a hosted service, so that its own SERVICE_TIMEOUT response can arrive (D13).
   */
  readonly perTry?: number | undefined;
  /**
   * Time of the whole call in milliseconds: all attempts, the waits between them, and the body if the client reads it.
   * A body that you read yourself (a raw Response, a stream, events) is not limited. Default: 120 s.
   */
  readonly total?: number | undefined;
}

/**
 * How a call is retried; the README explains which calls are. A field that is `undefined` is taken from
 * the client, or has its default.
 *
 * @example
 * const patient = { attempts: 5, baseDelay: 500, maxRetryAfter: 60_000 };
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', retry: patient });
 */
export interface RetryOptions {
  /** Total number of attempts, including the first one. Default: 3. */
  readonly attempts?: number | undefined;
  /** Longest first wait, in milliseconds; waits are random, and their limit doubles. Default: 250. */
  readonly baseDelay?: number | undefined;
  /** Longest random wait, in milliseconds. Default: 8,000. */
  readonly maxDelay?: number | undefined;
  /**
   * Longest `Retry-After` to wait for, in milliseconds. If the server asks for more, or for more than is
   * left of the total time, the call fails immediately. Default: 30,000.
   */
  readonly maxRetryAfter?: number | undefined;
}

/** One attempt, without its credentials. */
export interface TryEvent {
  /** HTTP method. */
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  /** Headers to be sent; `onRequest` may change them. Credentials are added later. */
  readonly headers: Headers;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/**
 * Functions called for each attempt. Promises are awaited; an error ends the call with that error.
 *
 * @example
 * const hooks: Hooks = {
 *   onRetry: ({ path, attempt, delay }) => log(`${path}: attempt ${attempt} failed, next in ${delay} ms`),
 * };
 * const traced: Hooks = {
 *   onRequest: ({ headers }) => headers.set('traceparent', currentTraceparent()),
 * };
 */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: ((event: TryEvent) => void | Promise<void>) | undefined;
  /** After the headers of each response. To read the body, clone the response first. */
  readonly onResponse?:
    | ((event: TryEvent & { readonly response: Response }) => void | Promise<void>)
    | undefined;
  /** Before each wait: `delay` is in milliseconds, `reason` is the response or error of the attempt. */
  readonly onRetry?:
    | ((
        event: TryEvent & { readonly delay: number; readonly reason: Response | Error },
      ) => void | Promise<void>)
    | undefined;
}

/**
 * Options of a client and of each of its calls; those of the call take precedence, field by field.
 *
 * @example
 * const quick: SharedCallOptions = { timeouts: { total: 2_000 }, retry: false };
 * const user = await service.get<User>('users/7', quick);
 */
export interface SharedCallOptions {
  /** Time limits. */
  readonly timeouts?: Timeouts | undefined;
  /** Retries of failed calls; `false` turns them off. A refused token is refreshed all the same. */
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
  /** Aborts the call, even during a wait or while its body is read; it rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call may be executed twice, and so be retried after any temporary failure.
   * Default: `true` for GET and HEAD, `false` for POST.
   */
  readonly idempotent?: boolean | undefined;
}

/**
 * A `fetch`: the platform's, undici's, or a wrapper of your own, for a proxy, an agent or a test. It
 * receives the URL as a string, and must respect `init.signal` and `init.redirect`.
 *
 * @example
 * import { EnvHttpProxyAgent, fetch } from 'undici';
 * const dispatcher = new EnvHttpProxyAgent();
 * const viaProxy = async (url: string, init: object) =>
 *   (await fetch(url, { ...init, dispatcher })) as unknown as Response; // undici has types of its own
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;
