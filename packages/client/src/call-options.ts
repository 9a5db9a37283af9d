/**
 * Time limits for a call, in milliseconds. `0` means no limit. A field that is `undefined` falls back to
 * the client's value, then to the default.
 *
 * @example
 * const report = await service.get('report', { timeouts: { perTry: 5_000, total: 20_000 } });
 */
export interface Timeouts {
  /**
   * How long each attempt may take until the response headers arrive. Default: 65 s, slightly longer
   * than the gateway waits for a hosted service, so that its SERVICE_TIMEOUT response can arrive (D13).
   */
  readonly perTry?: number | undefined;
  /**
   * How long the entire call may take: all attempts, the waits between them, and the body if the client
   * reads it. If you read the body yourself (a raw `Response`, a stream, events), that is not limited.
   * Default: 120 s.
   */
  readonly total?: number | undefined;
}

/**
 * Retry options for calls. The README explains which calls are retried. A field that is `undefined` falls
 * back to the client's value, then to the default.
 *
 * @example
 * const patient = { attempts: 5, baseDelay: 500, maxRetryAfter: 60_000 };
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', retry: patient });
 */
export interface RetryOptions {
  /** Total number of attempts, including the first one. Default: 3. */
  readonly attempts?: number | undefined;
  /**
   * Maximum wait before the first retry, in milliseconds. Waits are random, and their maximum doubles
   * with each retry. Default: 250.
   */
  readonly baseDelay?: number | undefined;
  /** Maximum wait before any retry, in milliseconds. Default: 8,000. */
  readonly maxDelay?: number | undefined;
  /**
   * Maximum `Retry-After` to honor, in milliseconds. If the server asks for more, or for more than is
   * left of the total time, the call fails immediately. Default: 30,000.
   */
  readonly maxRetryAfter?: number | undefined;
}

/**
 * Options that you can set for a client or for a single call. The call's values take precedence, field
 * by field.
 *
 * @example
 * const quick: SharedCallOptions = { timeouts: { total: 2_000 }, retry: false };
 * const user = await service.get<User>('users/7', quick);
 */
export interface SharedCallOptions {
  /** Time limits. */
  readonly timeouts?: Timeouts | undefined;
  /** How to retry failed calls; `false` turns retries off. A rejected token is refreshed in any case. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * Options for one call.
 *
 * @example
 * const stop = new AbortController();
 * await service.post('orders/7/confirm', {}, { signal: stop.signal, idempotent: true });
 */
export interface CallOptions extends SharedCallOptions {
  /**
   * Aborts the call, even while it waits for a retry or reads a body. The call rejects with the signal's
   * `reason`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether it is safe to execute the call twice, and so to retry it after any temporary failure.
   * Default: `true` for GET and HEAD, `false` for POST.
   */
  readonly idempotent?: boolean | undefined;
}

/**
 * A `fetch` function: the platform's, undici's, or your own wrapper for a proxy, an agent or a test. It
 * receives the URL as a string, and must respect `init.signal` and `init.redirect`.
 *
 * @example
 * import { EnvHttpProxyAgent, fetch } from 'undici';
 * const dispatcher = new EnvHttpProxyAgent();
 * const viaProxy = async (url: string, init: object) =>
 *   (await fetch(url, { ...init, dispatcher })) as unknown as Response; // undici has its own types
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;
