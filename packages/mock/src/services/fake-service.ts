import type { Readable } from 'node:stream';
import type { ServiceAnswer } from '@berth/server-stubs';

/** Milliseconds, or a text such as `250ms`, `5s`, `2m`, `1h`. */
export type Duration = number | string;

export type DeclaredState = string | { readonly code: string; readonly for?: Duration };

/** An answer that is always the same. At most one of `json`, `text`, `base64` and `file`. */
export interface FixedAnswer {
  /** Default 200. */
  readonly status?: number;
  /** `Content-Type` is that of the body unless it stands here; `application/octet-stream` for bytes. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /** Path of a file, relative to the file of the service; of the working folder for services in code. */
  readonly file?: string;
  /** Time before the answer, by the clock of the machine. Default 0. */
  readonly delay?: Duration;
}

export interface ScriptedEvent {
  readonly id?: string | number;
  readonly event?: string;
  /** A text, or any value, which is sent as JSON. */
  readonly data?: unknown;
  /** Milliseconds that the caller waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
  /** Time before it, by the clock of the machine. Default 0. */
  readonly delay?: Duration;
  /**
   * The connection is lost in the middle of this event. A caller that comes back with the id of the event
   * before gets it whole.
   */
  readonly cut?: true;
}

/**
 * A stream of events. Where the caller sends `Last-Event-ID`, it begins after the event of that id; where
 * nothing is left then, the answer is 204, which tells browsers not to come back.
 */
export interface EventScript {
  /** The events, or in code whatever gives them one by one. */
  readonly events:
    | readonly ScriptedEvent[]
    | Iterable<ScriptedEvent>
    | AsyncIterable<ScriptedEvent>;
  /** Begins again at the end. Default false. */
  readonly repeat?: boolean;
  /** Says nothing more after the last event, but does not end. Default false. */
  readonly keepOpen?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WebSocketStep =
  /** A text, or any value, which is sent as JSON. */
  | { readonly send: unknown; readonly delay?: Duration }
  | { readonly sendBase64: string; readonly delay?: Duration }
  /**
   * Waits for a message: `*` for any, a text for just that text, an object for JSON with at least these
   * fields. Another message closes the socket with 1008.
   */
  | { readonly expect: unknown }
  /** Sends each message back until the caller closes. */
  | { readonly echo: true }
  | { readonly close: number; readonly reason?: string; readonly delay?: Duration }
  /** The connection is lost. */
  | { readonly cut: true; readonly delay?: Duration };

/** The service's end of a WebSocket. A loop over it takes the messages until the caller is gone. */
export interface FakeSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty for none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, also where the caller is gone. */
  send(message: string | Uint8Array): Promise<void>;
  /** The next message: a text or bytes; undefined when the caller is gone. */
  receive(): Promise<string | Uint8Array | undefined>;
  close(code?: number, reason?: string): void;
  /** Loses the connection without a close frame. */
  cut(): void;
}

/** A call that reached a fake service. */
export interface ServiceCall {
  /** `GET` or `POST`; a HEAD is answered like a GET. */
  readonly method: string;
  /** Path behind the service's name, raw; begins with `/`. */
  readonly path: string;
  /** Path and query, bytes as they came. */
  readonly target: string;
  /** Values of `{name}` in the route, decoded; the rest that `*` took stands raw under `*`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** As a hosted service gets them: names in lower case, no credentials. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable | undefined;
  /** Reads the body as JSON, up to 1 MiB. What is wrong with it is answered with 400 or 413. */
  json(): Promise<unknown>;
  /** Reads the body as text, up to 1 MiB. */
  text(): Promise<string>;
  readonly requestId: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Kept between calls of one session, also over a hot reload. A reset of the session empties it. */
  readonly state: Map<string, unknown>;
}

export type WebSocketFunction = (socket: FakeSocket, call: ServiceCall) => unknown;

/** What a WebSocket does. Stands under a route of the method `WS`. */
export interface WebSocketScript {
  /** Steps one after the other, or in code a function. Afterwards the socket stays open and is silent. */
  readonly webSocket: readonly WebSocketStep[] | WebSocketFunction;
  /** Subprotocols that it takes. Default: the first that the caller offers. */
  readonly protocols?: readonly string[];
  /** Begins again at the end. Default false. */
  readonly repeat?: boolean;
}

/** What a route can be answered with. */
export type RouteAnswer = FixedAnswer | EventScript | WebSocketScript | ServiceAnswer;

export type RouteFunction = (call: ServiceCall) => RouteAnswer | Promise<RouteAnswer>;

export type Route = FixedAnswer | EventScript | WebSocketScript | RouteFunction;

/** A hosted service that you define, in TypeScript or YAML; in YAML there are no functions. */
export interface FakeService {
  /**
   * Code of the gateway's error table that calls are answered with. With `for`, the session's first call
   * begins that time, by the session's clock, as a cold start does; then the service is ready.
   */
  readonly state?: DeclaredState;
  /**
   * Answers by method and path: `GET /orders/{id}`. Methods are `GET` (which answers HEAD too), `POST` and
   * `WS` for WebSockets. `{name}` takes one segment, `*` as the last segment any rest, and a query such as
   * `?status=open` the calls that have it. The most exact route answers.
   */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Base address of a real service that answers what no route does. */
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
