import type { Duplex, Readable } from 'node:stream';
import type { Handlers } from '../generated/gateway.v1/index.gen.ts';
import type { BodyWriter, Call, RawBody } from '../runtime/index.ts';

/** A call to a hosted service, ready to be forwarded. */
export interface GatewayInput {
  /** Name of the hosted service, which matches the contract's pattern. */
  readonly name: string;
  /** What follows `/{name}/` in the path, byte for byte (D3); empty for the root. */
  readonly anyPath: string;
  /** Query as sent, without the question mark; undefined if there is none. */
  readonly rawQuery: string | undefined;
  /** Request target for the service: `/`, `anyPath` and the query, byte for byte. */
  readonly target: string;
  /** `GET`, `HEAD` or `POST`. A HEAD is handled like a GET whose response has no body (D11). */
  readonly method: string;
  /**
   * Headers for the service, names in lower case: without hop-by-hop headers (RFC 9110, section 7.6.1)
   * and `expect`, which the router handles, and with the `x-request-id` of the call (D9).
   * `call.request.headers` has all of them.
   */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /**
   * Body of a POST, unparsed; undefined for GET and HEAD. The stream fails if it exceeds the limit (D13).
   */
  readonly body: Readable | undefined;
}

/**
 * The response of a hosted service. It passes through unchanged (D7), except that the router removes
 * hop-by-hop headers, sets `Content-Disposition` by C1 to C3, `X-Request-Id` and the CORS headers, and
 * adds the service's status as `X-Svc-Upstream-Status-Code` (D10).
 */
export interface ServiceResponse {
  readonly status: number;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Sent as is; streams are read with backpressure from the caller. */
  readonly body?: RawBody | BodyWriter;
}

/** Context of a call to a hosted service. */
export interface GatewayCall<Caller = unknown>
  extends Call<{ readonly bearerToken?: Caller; readonly signature?: Caller }> {
  /** Environment that the host name selects (D12). */
  readonly env: string;
  /** The authenticated caller: what the security handler returned. */
  readonly caller: Caller;
}

/**
 * Calls a hosted service. To refuse the call, throw a `GatewayError`; what is returned counts as the
 * response of the service, whatever its status.
 */
export type GatewayHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => ServiceResponse | Promise<ServiceResponse>;

/** Handlers of the gateway by operationId. An operation without a handler responds with 501. */
export type GatewayHandlers<Caller = unknown> = {
  readonly [Id in keyof Handlers]?: GatewayHandler<Caller>;
} & {
  /**
   * Opens the WebSockets of both GET operations, if `upgrade` is attached to the server. Default: respond
   * with 501.
   */
  readonly webSocket?: WebSocketHandler<Caller>;
};

/** The response that opens a WebSocket: 101, after which `open` owns the connection. */
export interface WebSocketResponse {
  readonly status: 101;
  /**
   * Headers of the service's 101, names in any case: the subprotocol and the extensions that it chose.
   * The router sets `Upgrade`, `Connection` and `X-Request-Id`, and `Sec-WebSocket-Accept` if it is
   * missing. Without `headers`, `open` writes the 101 itself, as `handleUpgrade` of `ws` does; it must
   * then include `X-Request-Id: <call.requestId>` (D9), and no `Content-Disposition` (C3).
   */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Called once, after the 101 is written. Frames are not parsed by the router.
   *
   * @param head bytes that the client has already sent
   */
  readonly open: (socket: Duplex, head: Buffer) => void;
}

/**
 * Opens a WebSocket to a hosted service. A response with another status is the service's own refusal and
 * is sent as is; to refuse as the gateway, throw a `GatewayError`.
 */
export type WebSocketHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => WebSocketResponse | ServiceResponse | Promise<WebSocketResponse | ServiceResponse>;
