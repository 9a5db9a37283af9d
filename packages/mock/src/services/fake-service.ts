import type { Readable } from 'node:stream';
import type { ServiceResponse } from '@berth/server-stubs';

/** Milliseconds, or a text such as `250ms`, `5s`, `2m`, `1h`. */
export type Duration = number | string;

export type DeclaredState = string | { readonly code: string; readonly for?: Duration };

/** A static response. At most one of `json`, `text`, `base64` and `file`. */
export interface FixedResponse {
  /** Default 200. */
  readonly status?: number;
  /** `Content-Type` defaults to that of the body; `application/octet-stream` for bytes. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /** Path of a file, relative to the service's file, or to the working directory for services in code. */
  readonly file?: string;
  /** Delay before the response, by the machine's clock. Default 0. */
  readonly delay?: Duration;
}

export interface ScriptedEvent {
  readonly id?: string | number;
  readonly event?: string;
  /** A text, or any other value, which is sent as JSON. */
  readonly data?: unknown;
  /** Milliseconds that the caller waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
  /** Delay before the event, by the machine's clock. Default 0. */
  readonly delay?: Duration;
  /**
   * Closes the connection in the middle of this event. A caller that reconnects with the ID of the previous
   * event gets it complete.
   */
  readonly cut?: true;
}

/**
 * A stream of events. With `Last-Event-ID`, it starts after the event with that ID; if no event is left, the
 * response is 204, which stops browsers from reconnecting.
 */
export interface EventScript {
  /** The events, or in code any iterable of them. */
  readonly events:
    | readonly ScriptedEvent[]
    | Iterable<ScriptedEvent>
    | AsyncIterable<ScriptedEvent>;
  /** Starts over at the end. Default false. */
  readonly repeat?: boolean;
  /** Keeps the stream open and silent after the last event. Default false. */
  readonly keepOpen?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WebSocketStep =
  /** A text, or any other value, which is sent as JSON. */
  | { readonly send: unknown; readonly delay?: Duration }
  | { readonly sendBase64: string; readonly delay?: Duration }
  /**
   * Waits for a message: `*` for any, a text for exactly that text, an object for JSON with at least these
   * fields. Another message closes the socket with 1008.
   */
  | { readonly expect: unknown }
  /** Sends each message back until the caller closes. */
  | { readonly echo: true }
  | { readonly close: number; readonly reason?: string; readonly delay?: Duration }
  /** Drops the connection. */
  | { readonly cut: true; readonly delay?: Duration };

/** The service's side of a WebSocket. Iterating over it yields the messages until the caller disconnects. */
export interface FakeSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty for none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, or the caller has disconnected. */
  send(message: string | Uint8Array): Promise<void>;
  /** The next message: a text or bytes; undefined when the caller disconnects. */
  receive(): Promise<string | Uint8Array | undefined>;
  close(code?: number, reason?: string): void;
  /** Drops the connection without a close frame. */
  cut(): void;
}

/** A call that reached a fake service. */
export interface ServiceCall {
  /** `GET` or `POST`; a HEAD is handled like a GET. */
  readonly method: string;
  /** Path after the service's name, raw; begins with `/`. */
  readonly path: string;
  /** Path and query, bytes as received. */
  readonly target: string;
  /** Values of `{name}` in the route, decoded; the rest that `*` matched is raw, under `*`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** As a hosted service receives them: names in lower case, no credentials. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable | undefined;
  /** Reads the body as JSON, up to 1 MiB. An invalid body gets a 400 or 413 response. */
  json(): Promise<unknown>;
  /** Reads the body as text, up to 1 MiB. */
  text(): Promise<string>;
  readonly requestId: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Shared by the calls of one session, and kept across hot reloads. A reset of the session clears it. */
  readonly state: Map<string, unknown>;
}

export type WebSocketFunction = (socket: FakeSocket, call: ServiceCall) => unknown;

/** Script of a WebSocket, for routes with the method `WS`. */
export interface WebSocketScript {
  /** Steps in order, or in code a function. Afterwards the socket stays open and silent. */
  readonly webSocket: readonly WebSocketStep[] | WebSocketFunction;
  /** Supported subprotocols. Default: the first that the caller offers. */
  readonly protocols?: readonly string[];
  /** Starts over at the end. Default false. */
  readonly repeat?: boolean;
}

/** Possible responses of a route. */
export type RouteResponse = FixedResponse | EventScript | WebSocketScript | ServiceResponse;

export type RouteFunction = (call: ServiceCall) => RouteResponse | Promise<RouteResponse>;

export type Route = FixedResponse | EventScript | WebSocketScript | RouteFunction;

/** A hosted service that you define, in TypeScript or YAML; functions need TypeScript. */
export interface FakeService {
  /**
   * Code of the gateway's error table that calls fail with. With `for`, that time begins with the session's
   * first call, by the session's clock, as in a cold start; then the service is ready.
   */
  readonly state?: DeclaredState;
  /**
   * Responses by method and path: `GET /orders/{id}`. Methods are `GET` (which includes HEAD), `POST` and
   * `WS` for WebSockets. `{name}` matches one segment, `*` as the last segment the rest, and a query such as
   * `?status=open` the calls that have it. The most specific route responds.
   */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Base URL of a real service that handles calls without a route. */
  readonly proxy?: string;
}

/**
 * A hosted service for the mock, typed; the default export of a file in a folder of services.
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

/** Services by name. */
export type FakeServices = Readonly<Record<string, FakeService>>;

/** Several hosted services by name, typed; the default export of a file of services. */
export function defineServices<const Services extends FakeServices>(services: Services): Services {
  return services;
}
