import type { Readable } from 'node:stream';
import type { ServiceResponse } from '@berth/server-stubs';

/** Milliseconds, or a duration such as `250ms`, `5s`, `2m` or `1h`. */
export type Duration = number | string;

/** A static response. Set at most one of `json`, `text`, `base64` and `file`. */
export interface FixedResponse {
  /** Default 200. */
  readonly status?: number;
  /**
   * Response headers. `Content-Type` defaults to the body's type, or `application/octet-stream` for bytes.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /**
   * Path of a file, relative to the file that defines the service, or to the working directory for services
   * defined in code.
   */
  readonly file?: string;
  /** Delay before the response, by the machine's clock. Default 0. */
  readonly delay?: Duration;
}

export interface ScriptedEvent {
  readonly id?: string | number;
  readonly event?: string;
  /** A string, or any other value, which is sent as JSON. */
  readonly data?: unknown;
  /** How many milliseconds the caller waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
  /** Delay before the event, by the machine's clock. Default 0. */
  readonly delay?: Duration;
  /**
   * Closes the connection in the middle of this event. A caller that reconnects with the previous event's ID
   * gets the complete event.
   */
  readonly cut?: true;
}

/**
 * A stream of events. For a call with a `Last-Event-ID` header, the stream starts after the event with that
 * ID. If no events are left, the response is a 204, which stops browsers from reconnecting.
 */
export interface EventScript {
  /** The events, or, in code, any iterable of events. */
  readonly events:
    | readonly ScriptedEvent[]
    | Iterable<ScriptedEvent>
    | AsyncIterable<ScriptedEvent>;
  /** Start over at the end. Default false. */
  readonly repeat?: boolean;
  /** Keep the stream open and silent after the last event. Default false. */
  readonly keepOpen?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WebSocketStep =
  /** A string, or any other value, which is sent as JSON. */
  | { readonly send: unknown; readonly delay?: Duration }
  | { readonly sendBase64: string; readonly delay?: Duration }
  /**
   * Waits for a message: `*` for any message, a string for exactly that text, an object for JSON with at
   * least these fields. Any other message closes the socket with 1008.
   */
  | { readonly expect: unknown }
  /** Sends each message back until the caller closes the socket. */
  | { readonly echo: true }
  | { readonly close: number; readonly reason?: string; readonly delay?: Duration }
  /** Drops the connection without a close frame. */
  | { readonly cut: true; readonly delay?: Duration };

/** The service's side of a WebSocket. Iterate over it to receive messages until the caller disconnects. */
export interface FakeSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty if there is none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, or when the caller has disconnected. */
  send(message: string | Uint8Array): Promise<void>;
  /** Returns the next message, as a string or bytes; undefined when the caller disconnects. */
  receive(): Promise<string | Uint8Array | undefined>;
  close(code?: number, reason?: string): void;
  /** Drops the connection without a close frame. */
  cut(): void;
}

/** A call to a fake service. */
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

export type WebSocketFunction = (socket: FakeSocket, call: ServiceCall) => unknown;

/** A script for the WebSockets of a route with the method `WS`. */
export interface WebSocketScript {
  /** Steps to run in order, or, in code, a function. Afterwards the socket stays open and silent. */
  readonly webSocket: readonly WebSocketStep[] | WebSocketFunction;
  /** Supported subprotocols. Default: the first one that the caller offers. */
  readonly protocols?: readonly string[];
  /** Start over at the end. Default false. */
  readonly repeat?: boolean;
}

/** A route's response. */
export type RouteResponse = FixedResponse | EventScript | WebSocketScript | ServiceResponse;

export type RouteFunction = (call: ServiceCall) => RouteResponse | Promise<RouteResponse>;

export type Route = FixedResponse | EventScript | WebSocketScript | RouteFunction;

/** A hosted service that you define in TypeScript or YAML. Functions require TypeScript. */
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

/** Fake services, with their names as keys. */
export type FakeServices = Readonly<Record<string, FakeService>>;

/** Defines several hosted services by name, with types. Use it as the default export of a services file. */
export function defineServices<const Services extends FakeServices>(services: Services): Services {
  return services;
}
