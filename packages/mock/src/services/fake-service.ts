import type { Readable } from 'node:stream';
import type { ServiceResponse } from '@berth/server-stubs';

/** A response with JSON, text or no body. For anything else, return `{ status, headers, body }`. */
export interface FixedResponse {
  /** Default 200. */
  readonly status?: number;
  /** Response headers. `Content-Type` defaults to the type of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** A server-sent event. */
export interface ServiceEvent {
  readonly id?: string | number;
  readonly event?: string;
  /** A string, or any other value, which is sent as JSON. */
  readonly data?: unknown;
  /** How many milliseconds the caller waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
}

/**
 * A stream of events. If they are an array, a call with a `Last-Event-ID` header gets those after the event with
 * that ID, or a 204 if there are none, which stops browsers from reconnecting.
 */
export interface EventsResponse {
  readonly events: Iterable<ServiceEvent> | AsyncIterable<ServiceEvent>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service's side of a WebSocket. Iterate over it to receive messages until the caller disconnects. */
export interface FakeSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty if there is none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, or when the caller has disconnected. */
  send(message: string | Uint8Array): Promise<void>;
  close(code?: number, reason?: string): void;
}

export type WebSocketFunction = (socket: FakeSocket, call: ServiceCall) => unknown;

/** A route with the method `WS`. */
export interface WebSocketRoute {
  /** Called for each socket. When it returns, the socket stays open and silent. */
  readonly webSocket: WebSocketFunction;
  /** Supported subprotocols. Default: the first one that the caller offers. */
  readonly protocols?: readonly string[];
}

/** A call to a hosted service. */
export interface ServiceCall {
  /** `GET` or `POST`. A HEAD request is handled as GET. */
  readonly method: string;
  /** Path after the service name, raw; begins with `/`. */
  readonly path: string;
  /** Path and query, bytes as received. */
  readonly target: string;
  /** Decoded values of `{name}` in the route. What `*` matched is under `*`, raw. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Headers as a hosted service receives them: names in lower case, no credentials. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable | undefined;
  /** Reads the body as JSON, up to 1 MiB. If the body is invalid, the response is a 400 or 413. */
  json(): Promise<unknown>;
  /** Reads the body as text, up to 1 MiB. */
  text(): Promise<string>;
  readonly requestId: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Data shared by the calls of one session and kept across hot reloads. Resetting the session clears it. */
  readonly state: Map<string, unknown>;
}

/** A route's response. */
export type RouteResponse = FixedResponse | EventsResponse | WebSocketRoute | ServiceResponse;

export type RouteFunction = (call: ServiceCall) => RouteResponse | Promise<RouteResponse>;

export type Route = FixedResponse | EventsResponse | WebSocketRoute | RouteFunction;

/** A hosted service. */
export interface FakeService {
  /**
   * Responses by method and path: `GET /orders/{id}`. The method is `GET` (which includes HEAD), `POST`, or
   * `WS` for WebSockets. `{name}` matches one segment, a trailing `*` the rest of the path, and a query such
   * as `?status=open` only calls that have it. The most specific route wins.
   */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Base URL of a real service that handles calls without a matching route. */
  readonly proxy?: string;
}

/**
 * Defines a hosted service for the mock, with types. Use it as the default export of a file in a services
 * folder.
 *
 * @example
 * // services/orders.ts
 * export default defineService({
 *   routes: { 'GET /orders/{id}': ({ params }) => ({ json: { id: params.id } }) },
 * });
 */
export function defineService<const Service extends FakeService>(service: Service): Service {
  return service;
}

/** Hosted services by name. */
export type FakeServices = Readonly<Record<string, FakeService>>;

/** Defines several hosted services by name, with types. Use it as the default export of a services file. */
export function defineServices<const Services extends FakeServices>(services: Services): Services {
  return services;
}
