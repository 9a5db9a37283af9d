import type { CallOptions } from '../call-options.ts';
import type { StandardSchema } from '../internal/check-payload.ts';

/**
 * Options for a call to a hosted service.
 *
 * @example
 * const options: ServiceCallOptions = { headers: { 'Accept-Language': 'de' }, retry: false };
 */
export interface ServiceCallOptions extends CallOptions {
  /** Headers to send. An `Authorization` header here takes precedence over the client's credentials. */
  readonly headers?: RequestInit['headers'] | undefined;
}

/**
 * Options for a call that returns the payload.
 *
 * @example
 * import * as z from 'zod';
 * const user = await service.get('users/7', { schema: z.object({ name: z.string() }) });
 */
export interface PayloadOptions<Payload> extends ServiceCallOptions {
  /** Schema that validates the payload of a successful response and determines its type. Default: none. */
  readonly schema?: StandardSchema<Payload> | undefined;
}

/**
 * Options for a call that returns the raw response.
 *
 * @example
 * const response = await service.request('pictures/7', { method: 'POST', body: blob });
 */
export interface RequestOptions extends ServiceCallOptions {
  /** HTTP method. Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'HEAD' | undefined;
  /** Request body, as in `post`. */
  readonly body?: unknown;
}

/**
 * Options for `events`.
 *
 * @example
 * const events = service.events('news', { lastEventId: readLastId(), schema: News, signal });
 */
export interface EventsOptions<Data> extends Omit<ServiceCallOptions, 'idempotent'> {
  /** Schema for `data`, which is then parsed as JSON and validated. Default: `data` stays text. */
  readonly schema?: StandardSchema<Data> | undefined;
  /** ID of the event to start after. Default: the server decides. */
  readonly lastEventId?: string | undefined;
  /**
   * Whether to reconnect. If `false`, the iteration ends when the connection does, and throws a
   * `NetworkError` if it was interrupted. Default: `true`.
   */
  readonly reconnect?: boolean | undefined;
}

/** One server-sent event. */
export interface ServiceEvent<Data = string> {
  /** Event type; `message` if the service sets none. */
  readonly event: string;
  /** Data lines, joined by line feeds. */
  readonly data: Data;
  /** ID of this event or of the last one that had an ID; empty if none had. */
  readonly id: string;
}

/**
 * Options for `connect`.
 *
 * @example
 * const socket = await service.connect('chat', { protocols: ['chat.v2', 'chat'], signal });
 */
export interface ConnectOptions
  extends Pick<ServiceCallOptions, 'headers' | 'signal' | 'timeouts'> {
  /** Subprotocols in order of preference. Default: none. */
  readonly protocols?: readonly string[] | undefined;
  /** Headers to send with the handshake. Not supported in browsers. */
  readonly headers?: ServiceCallOptions['headers'];
  /** Aborts the handshake, or closes the socket once it is open. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A hosted service. `path` is the part of the URL after the service name, including the query. It is sent
 * unchanged, except that one leading `/` is dropped. A path with a segment that `fetch` would rewrite throws
 * a `TypeError` (D3).
 *
 * Calls reject with a `GatewayError` for an error status, a `NetworkError`, a `TimeoutError`, a
 * `ContractError`, or the `signal`'s reason.
 */
export interface Service<Default = unknown> {
  /**
   * Gets a path and returns the payload: parsed if it is JSON, `undefined` if it is empty, otherwise as
   * text. For anything else, use `request`.
   *
   * @example
   * const user = await service.get<User>('users/7?full=true');
   * const checked = await service.get('users/7', { schema: UserSchema });
   */
  get<Payload = Default>(path?: string, options?: PayloadOptions<Payload>): Promise<Payload>;
  /**
   * Posts to a path and returns the payload, like `get`. The body is sent as JSON, unless it is a
   * string, bytes, a `Blob`, `FormData`, `URLSearchParams` or a stream, which are sent as is. A POST is
   * retried only if it was certainly not executed, or with `idempotent: true`. A stream is never
   * retried.
   *
   * @example
   * const order = await service.post<Order>('orders', { item: 3 });
   */
  post<Payload = Default>(
    path?: string,
    body?: unknown,
    options?: PayloadOptions<Payload>,
  ): Promise<Payload>;
  /**
   * Returns the raw response, whatever its status, without reading the body. Time limits end with the
   * response headers. Redirects are returned too, except in browsers, which hide them; there, they
   * become a `GatewayError`.
   *
   * @example
   * const response = await service.request('report.pdf', { headers: { Range: 'bytes=0-99' } });
   */
  request(path?: string, options?: RequestOptions): Promise<Response>;
  /**
   * Iterates over a path's server-sent events (SSE, WHATWG HTML section 9.2). When a connection ends or
   * breaks, the client reconnects after the server's `retry` time, then with growing waits, and resumes
   * after the last event (`Last-Event-ID`). The iteration ends when you leave it, when `signal` aborts,
   * or when the service returns 204. If the service rejects the request, it throws the same errors as
   * `get`. `timeouts` apply to each connection until its headers arrive. `data` is text or, with a
   * `schema`, validated JSON.
   *
   * @example
   * for await (const { event, data } of service.events('prices', { signal })) {
   *   if (event === 'price') show(JSON.parse(data));
   * }
   */
  events(
    path?: string,
    options?: EventsOptions<string> & { readonly schema?: undefined },
  ): AsyncGenerator<ServiceEvent, void, undefined>;
  events<Data>(
    path: string | undefined,
    options: EventsOptions<Data> & { readonly schema: StandardSchema<Data> },
  ): AsyncGenerator<ServiceEvent<Data>, void, undefined>;
  /**
   * Opens a WebSocket (RFC 6455), and resolves once it is open. Returns the platform's own WebSocket.
   * Credentials are sent in a header if the platform supports that. Otherwise, a Bearer token is sent as
   * the subprotocol `berth.bearer.<token>` (D14), and other credentials cannot be sent. Heartbeats and
   * reconnecting are up to you.
   *
   * Platforms hide the response to a handshake, so if it fails, the client gets the reason with a GET of the
   * same path, within 5 s.
   *
   * @throws GatewayError if the gateway rejects the handshake
   * @throws NetworkError if it fails to open for any other reason, which platforms do not report
   *
   * @example
   * const socket = await service.connect('chat', { protocols: ['chat'], signal });
   * socket.addEventListener('message', ({ data }) => show(data));
   * socket.send('Hello');
   */
  connect(path?: string, options?: ConnectOptions): Promise<WebSocket>;
}

export type SendToService = <T>(
  path: string,
  options: RequestOptions,
  finish: (response: Response) => T | Promise<T>,
) => Promise<T>;
