/** What handlers get, and what they return. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Target } from './paths.ts';
import type { Route } from './route-table.ts';

/** The principals that the security handlers returned, by scheme. */
export type PrincipalsByScheme = Readonly<Record<string, unknown>>;

type CreateId = ((request: IncomingMessage) => string | undefined) | undefined;

const NOTHING = Object.freeze({});

/** The context of a request, which security handlers, handlers and hooks get. Only the router sets its fields. */
export class Call<Security extends object = PrincipalsByScheme, Caller = unknown> {
  readonly request: IncomingMessage;
  /** Use this only for what a returned response cannot express. A handler that ends it must still return a response. */
  readonly response: ServerResponse;
  /** `undefined` if no operation was found. */
  readonly route: Route | undefined;
  /** Empty if no operation was found. */
  readonly operationId: string;
  /** Request path as sent, not decoded. In Express, without the mount path. */
  readonly rawPath: string;
  /** Query as sent, without the question mark; `undefined` if there is none. */
  readonly rawQuery: string | undefined;
  /** Path parameters as decoded text; greedy ones as sent. Empty if the path is unknown or invalid. */
  pathValues: Readonly<Record<string, string>> = NOTHING;
  /** The principals of the alternative that authenticated the caller, by scheme. */
  security: Security = NOTHING as Security;
  /** Environment of a call to the gateway or the storage API; empty elsewhere. */
  env = '';
  /** Whether the client waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1). */
  awaitsContinue: boolean;
  readonly #createId: CreateId;
  #requestId: string | undefined;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route | undefined,
    { path, query }: Target,
    createId: CreateId,
    awaitsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.operationId = route?.operationId ?? '';
    this.rawPath = path;
    this.rawQuery = query;
    this.awaitsContinue = awaitsContinue;
    this.#createId = createId;
  }

  /** What the security handler returned. If several schemes are required, the first of `security`. */
  get caller(): Caller {
    return Object.values(this.security)[0];
  }

  /** ID of the call: the result of the `requestId` option, or a new UUID. */
  get requestId(): string {
    this.#requestId ??= this.#createId?.(this.request) ?? crypto.randomUUID();
    return this.#requestId;
  }

  /** Whether the client asks for another protocol, such as a WebSocket. Only then may a response have status 101. */
  get isUpgrade(): boolean {
    return 'handOver' in this.response;
  }

  /** Asks a client that waits for it to send its body. The router does, before it reads the body. */
  sendContinue(): void {
    if (!this.awaitsContinue) return;
    this.awaitsContinue = false;
    if (!this.response.headersSent) this.response.writeContinue();
  }

  /** Aborted when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    this.#controller ??= abortWith(this.response);
    return this.#controller.signal;
  }
}

function abortWith(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed || response.closed) abort();
  else response.once('close', abort);
  return controller;
}

/** A handler's response. Generated code narrows it to the documented responses. */
export interface HandlerResponse {
  readonly status: number;
  /** Default: the one in `headers`, or else `application/json` if it is documented, or else the first. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Only with status 101: gets the connection. Without `headers`, it also sends the head. */
  readonly open?: (socket: Duplex, head: Buffer) => void;
}

/**
 * Writes a body without a stream in between, in pass-through operations: it must respect `drain`, and end or destroy
 * the response.
 */
export type BodyWriter = (response: ServerResponse) => void;

/** A body that is sent as is, never as JSON. */
export type RawBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
