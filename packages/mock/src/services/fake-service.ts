import type { Readable } from 'node:stream';
import type { ServiceAnswer } from '@berth/server-stubs';

/** Milliseconds, or a text such as `250ms`, `5s`, `2m`. */
export type Duration = number | string;

/** A hosted service that you define, in TypeScript or YAML; in YAML there are no functions. */
export interface FakeService {
  /** State that the service is in from the start, such as `{ code: 'SERVICE_NOT_READY', for: '5s' }`. */
  readonly state?: string | { readonly code: string; readonly for?: Duration };
  /** Answers by method and path: `GET /orders/{id}`; `*` as the last segment takes any rest. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Base address of a real service that answers what no route does. */
  readonly proxy?: string;
}

export type Route = FixedAnswer | EventScript | WebSocketScript | RouteFunction;

/** An answer that is always the same. At most one of `json`, `text`, `base64` and `file`. */
export interface FixedAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /** Path of a file, relative to the file of the service. */
  readonly file?: string;
  readonly delay?: Duration;
}

/** A stream of events. Where the caller sends `Last-Event-ID`, it begins after the event of that id. */
export interface EventScript {
  readonly events: readonly ScriptedEvent[];
  /** Begins again at the end. Default false: the stream ends. */
  readonly repeat?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedEvent {
  readonly id?: string;
  readonly event?: string;
  /** A text, or any value, which is sent as JSON. */
  readonly data?: unknown;
  /** Milliseconds that the caller waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
  /** Time before it. Default 0. */
  readonly delay?: Duration;
  /** The connection is lost here, in the middle of the stream. */
  readonly cut?: true;
}

/** What a WebSocket does: sends, waits for a message, echoes, closes. */
export interface WebSocketScript {
  readonly webSocket: readonly WebSocketStep[];
  /** Subprotocols that it takes. */
  readonly protocols?: readonly string[];
}

export type WebSocketStep =
  | { readonly send: unknown; readonly delay?: Duration }
  | { readonly expect: unknown }
  | { readonly echo: true }
  | { readonly close: number; readonly reason?: string; readonly delay?: Duration }
  | { readonly cut: true; readonly delay?: Duration };

/** A call that reached a fake service. */
export interface ServiceCall {
  readonly method: string;
  /** Path behind the service's name, raw; begins with `/`. */
  readonly path: string;
  /** Values of `{name}` in the route, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable | undefined;
  /** Reads the body as JSON or text, up to 1 MiB. */
  json(): Promise<unknown>;
  text(): Promise<string>;
  readonly requestId: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Kept between calls of one session, also over a hot reload. */
  readonly state: Map<string, unknown>;
}

export type RouteFunction = (
  call: ServiceCall,
) => FixedAnswer | EventScript | ServiceAnswer | Promise<FixedAnswer | EventScript | ServiceAnswer>;

/** Services by name. */
export type FakeServices = Readonly<Record<string, FakeService>>;
