import type { CallOptions } from '../call-options.ts';
import type { StandardSchema } from '../internal/check-payload.ts';

/**
 * Options of a call to a hosted service.
 *
 * @example
 * const options: ServiceCallOptions = { headers: { 'Accept-Language': 'de' }, retry: false };
 */
export interface ServiceCallOptions extends CallOptions {
  /** Headers of this call. Its own `Authorization` takes precedence. */
  readonly headers?: RequestInit['headers'] | undefined;
  /** How to handle a redirect of the service. Default: that of the client. */
  readonly redirect?: RequestInit['redirect'] | undefined;
}

/**
 * Options of a call that returns the payload.
 *
 * @example
 * import * as z from 'zod';
 * const user = await service.get('users/7', { schema: z.object({ name: z.string() }) });
 */
export interface PayloadOptions<Payload> extends ServiceCallOptions {
  /** Validates the payload of a success, and types it. Default: the payload is not validated. */
  readonly schema?: StandardSchema<Payload> | undefined;
}

/**
 * Options of a call that returns the response with its body unread.
 *
 * @example
 * const response = await service.request('pictures/7', { method: 'POST', body: blob });
 */
export interface RequestOptions extends ServiceCallOptions {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'HEAD' | undefined;
  /** Same as the second argument of `post`. */
  readonly body?: unknown;
}

/**
 * Options of `events`.
 *
 * @example
 * const events = service.events('news', { lastEventId: readLastId(), schema: News, signal });
 */
export interface EventsOptions<Data> extends Omit<ServiceCallOptions, 'idempotent'> {
  /** Parses `data` as JSON, validates it, and types it. Default: `data` is text. */
  readonly schema?: StandardSchema<Data> | undefined;
  /** Starts after this event. Default: the server decides. */
  readonly lastEventId?: string | undefined;
  /**
   * Whether to reconnect. `false`: the iteration ends with the connection, and throws a `NetworkError` if
   * that is interrupted. Default: `true`.
   */
  readonly reconnect?: boolean | undefined;
}

/** One server-sent event. */
export interface ServiceEvent<Data = string> {
  /** Type of the event; `message` if the service sets none. */
  readonly event: string;
  /** Lines of data, joined by line feeds. */
  readonly data: Data;
  /** ID of the last event that had one; empty if none had. */
  readonly id: string;
}

/**
 * Options of `connect`.
 *
 * @example
 * const socket = await service.connect('chat', { protocols: ['chat.v2', 'chat'], signal });
 */
export interface ConnectOptions
  extends Pick<ServiceCallOptions, 'headers' | 'signal' | 'timeouts'> {
  /** Subprotocols in order of preference. Default: none. */
  readonly protocols?: readonly string[] | undefined;
  /** Headers of the handshake; browsers cannot send any. */
  readonly headers?: ServiceCallOptions['headers'];
  /** Aborts the handshake, and closes the socket later. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a WebSocket, on platforms that have none, or for agents and proxies.
 *
 * @example
 * import { WebSocket } from 'ws';
 * const webSocket: OpenWebSocket = (url, protocols, headers) =>
 *   new WebSocket(url, protocols, { headers }) as never;
 */
export type OpenWebSocket = (
  url: string,
  protocols: string[],
  headers: Record<string, string>,
) => WebSocket;

/**
 * One hosted service. `path` is what follows the service's name, including the query. It is sent
 * unchanged, except that one leading `/` is dropped; a segment that `fetch` would rewrite throws a
 * `TypeError` (D3).
 *
 * Calls reject with a `GatewayError` on an error status, a `NetworkError`, a `TimeoutError`, a
 * `ContractError`, or the reason of `signal`.
 */
export interface Service<Default = unknown> {
  /**
   * Gets the payload of a path: parsed if it is JSON, `undefined` if it is empty, otherwise text. For
   * anything else use `request`.
   *
   * @example
   * const user = await service.get<User>('users/7?full=true');
   * const checked = await service.get('users/7', { schema: UserSchema });
   */
  get<Payload = Default>(path?: string, options?: PayloadOptions<Payload>): Promise<Payload>;
  /**
   * Posts to a path and returns the payload like `get`. The body is sent as JSON, unless it is a string,
   * bytes, a `Blob`, `FormData`, `URLSearchParams` or a stream, which are sent unchanged. A POST is only
   * retried if it was certainly not executed, or with `idempotent: true`; a stream never.
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
   * Returns the raw response, whatever its status, with its body unread. The time limits end with its
   * headers. A redirect is returned too, except in browsers, which hide it: there it is a `GatewayError`.
   *
   * @example
   * const response = await service.request('report.pdf', { headers: { Range: 'bytes=0-99' } });
   */
  request(path?: string, options?: RequestOptions): Promise<Response>;
  /**
   * Iterates over the server-sent events of a path (SSE, WHATWG HTML section 9.2). A connection that ends
   * or breaks is opened again after the server's `retry` time, then with growing waits, from the last
   * event on (`Last-Event-ID`). The iteration ends when you leave it, when `signal` aborts, or when the
   * service returns 204; if the service refuses, it throws the same errors as `get`. `timeouts` apply to
   * the headers of each connection. `data` is text; with a `schema`, it is the validated JSON.
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
   * Opens a WebSocket (RFC 6455) and resolves when it is open; it is the platform's own. Credentials are
   * sent as a header if the platform can do that. Otherwise a Bearer token is sent as the subprotocol
   * `berth.bearer.<token>` (D14); other credentials cannot be sent. Heartbeats and reconnects are up to you.
   *
   * @throws GatewayError if the gateway or the service refuses, and the WebSocket is from the package ws,
   *   which shows the response
   * @throws NetworkError if it does not open for another reason; platforms do not say why
   *
   * @example
   * const socket = await service.connect('chat', { protocols: ['chat'], signal });
   * socket.addEventListener('message', ({ data }) => show(data));
   * socket.send('Hello');
   */
  connect(path?: string, options?: ConnectOptions): Promise<WebSocket>;
}

/** Sends one call and reads its response with `finish`. */
export type SendToService = <T>(
  path: string,
  options: RequestOptions,
  finish: (response: Response) => T | Promise<T>,
) => Promise<T>;
