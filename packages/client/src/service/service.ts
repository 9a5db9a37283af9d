import type { CallOptions } from '../call-options.ts';
import type { StandardSchema } from '../internal/check-payload.ts';

/**
 * Options of a call to a hosted service.
 *
 * @example
 * const options: ServiceCallOptions = { headers: { 'Accept-Language': 'de' }, retry: false };
 */
export interface ServiceCallOptions extends CallOptions {
  /** Headers of this call. A call that brings its own `Authorization` keeps it. */
  readonly headers?: RequestInit['headers'] | undefined;
  /** What is done with a redirect of the service. Default: that of the client. */
  readonly redirect?: RequestInit['redirect'] | undefined;
}

/**
 * Options of a call whose payload is read.
 *
 * @example
 * import * as z from 'zod';
 * const user = await service.get('users/7', { schema: z.object({ name: z.string() }) });
 */
export interface PayloadOptions<Payload> extends ServiceCallOptions {
  /** Checks the payload of a success, and types it. Default: the payload is not checked. */
  readonly schema?: StandardSchema<Payload> | undefined;
}

/**
 * Options of a call whose answer is handed out unread.
 *
 * @example
 * const response = await service.request('pictures/7', { method: 'POST', body: blob });
 */
export interface RequestOptions extends ServiceCallOptions {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'HEAD' | undefined;
  /** As the second argument of `post`. */
  readonly body?: unknown;
}

/**
 * Options of `events`.
 *
 * @example
 * const events = service.events('news', { lastEventId: readLastId(), schema: News, signal });
 */
export interface EventsOptions<Data> extends Omit<ServiceCallOptions, 'idempotent'> {
  /** Takes `data` for JSON, checks it, and types it. Default: `data` is text. */
  readonly schema?: StandardSchema<Data> | undefined;
  /** Begins after this event. Default: the server decides. */
  readonly lastEventId?: string | undefined;
  /**
   * Whether to connect again. `false`: the iteration ends with the connection, and throws a
   * `NetworkError` where that breaks. Default: `true`.
   */
  readonly reconnect?: boolean | undefined;
}

/** One server-sent event. */
export interface ServiceEvent<Data = string> {
  /** Type of the event; `message` where the service names none. */
  readonly event: string;
  /** Lines of data, joined by line feeds. */
  readonly data: Data;
  /** ID of the last event that had one; empty where none had. */
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
  /** Subprotocols to choose from, the preferred one first. Default: none. */
  readonly protocols?: readonly string[] | undefined;
  /** Headers of the handshake; a browser sends none of them. */
  readonly headers?: ServiceCallOptions['headers'];
  /** Ends the handshake, and closes the socket later on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a WebSocket, for platforms that have none, and for agents and proxies.
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
 * One hosted service. `path` is what follows the service's name, query included, and is sent exactly
 * as given but for one leading `/`, which is left out; a segment that `fetch` would rewrite throws a
 * `TypeError` (D3).
 *
 * Calls reject with a `GatewayError` on an error status, a `NetworkError`, a `TimeoutError`, a
 * `ContractError`, or the reason of `signal`.
 */
export interface Service<Default = unknown> {
  /**
   * Gets the payload of a path: parsed where it is JSON, `undefined` where it is empty, else text. For
   * anything else use `request`.
   *
   * @example
   * const user = await service.get<User>('users/7?full=true');
   * const checked = await service.get('users/7', { schema: UserSchema });
   */
  get<Payload = Default>(path?: string, options?: PayloadOptions<Payload>): Promise<Payload>;
  /**
   * Posts to a path and gives the payload like `get`. The body is sent as JSON, unless it is a string,
   * bytes, a `Blob`, `FormData`, `URLSearchParams` or a stream: those are sent as they are. A POST is
   * repeated only where it was certainly not executed, or with `idempotent: true`; a stream never.
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
   * The raw answer, whatever its status, its body unread. The time limits end with its headers. A
   * redirect is such an answer, but in browsers: they do not show it, and it is a `GatewayError`.
   *
   * @example
   * const response = await service.request('report.pdf', { headers: { Range: 'bytes=0-99' } });
   */
  request(path?: string, options?: RequestOptions): Promise<Response>;
  /**
   * Server-sent events of a path, one by one (SSE, WHATWG HTML section 9.2). A connection that ends or
   * breaks is opened again after the server's `retry` time, then with growing waits, from the last
   * event on (`Last-Event-ID`). The iteration ends when you leave it, when `signal` aborts, or when the
   * service answers 204; it throws what `get` throws where the service refuses. `timeouts` count until
   * the headers of each connection. `data` is text; with a `schema` it is what that makes of the JSON.
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
   * Opens a WebSocket (RFC 6455) and gives it when it is open; it is the platform's own. Credentials go
   * as a header where the platform can send one, else a Bearer token goes as the subprotocol
   * `berth.bearer.<token>` (D14); no other credentials can. Heartbeats and reconnects are yours.
   *
   * @throws GatewayError where the gateway or the service refuses, and the WebSocket is of the package
   *   ws, which shows the response
   * @throws NetworkError where it does not open for another reason; platforms do not tell why
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
