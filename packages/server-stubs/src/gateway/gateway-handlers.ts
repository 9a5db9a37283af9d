import type { Duplex, Readable } from 'node:stream';
import type { Handlers } from '../generated/gateway.v1/index.gen.ts';
import type { BodyWriter, Call, RawBody } from '../runtime/index.ts';

/** A call to a hosted service, ready to be forwarded. */
export interface GatewayInput {
  /** Name of the hosted service, which matches the contract's pattern. */
  readonly name: string;
  /** The rest of the path after `/{name}/`, byte for byte (D3). Empty for the root. */
  readonly anyPath: string;
  /** Query as sent, without the question mark; `undefined` if there is none. */
  readonly rawQuery: string | undefined;
  /** Request target for the service: `/`, `anyPath` and the query, byte for byte. */
  readonly target: string;
  /** `GET`, `HEAD` or `POST`. HEAD is handled like a GET whose response has no body (D11). */
  readonly method: string;
  /**
   * Headers for the service, by lowercase name. Excludes hop-by-hop headers (RFC 9110, section 7.6.1)
   * and `expect`, which the router handles, and includes the call's `x-request-id` (D9).
   * `call.request.headers` has all request headers.
   */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /**
   * Unparsed body of a POST; `undefined` for GET and HEAD. The stream fails if it exceeds the limit (D13).
   */
  readonly body: Readable | undefined;
}

/**
 * A hosted service's response. It is forwarded unchanged (D7), except that the router removes hop-by-hop
 * headers, applies rules C1 to C3 to `Content-Disposition`, sets `X-Request-Id` and the CORS headers, and
 * adds the service's status as `X-Svc-Upstream-Status-Code` (D10).
 */
export interface ServiceResponse {
  readonly status: number;
  /** Response headers, with names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Response body, which is sent as is. Streams are read with backpressure from the caller. */
  readonly body?: RawBody | BodyWriter;
}

/** The context of a call to a hosted service. */
export interface GatewayCall<Caller = unknown>
  extends Call<{ readonly bearerToken?: Caller; readonly signature?: Caller }> {
  /** Environment that the host name selects (D12). */
  readonly env: string;
  /** The authenticated caller, as the security handler returned it. */
  readonly caller: Caller;
}

/**
 * Calls a hosted service. To reject the call, throw a `GatewayError`. Any response that you return counts as
 * the service's, whatever its status.
 */
export type GatewayHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => ServiceResponse | Promise<ServiceResponse>;

/** Gateway handlers by operationId. Operations without a handler respond with 501. */
export type GatewayHandlers<Caller = unknown> = {
  readonly [Id in keyof Handlers]?: GatewayHandler<Caller>;
} & {
  /**
   * Opens WebSockets for both GET operations, if `upgrade` is attached to the server. Default: respond
   * with 501.
   */
  readonly webSocket?: WebSocketHandler<Caller>;
};

/** A response that opens a WebSocket. After the 101, `open` owns the connection. */
export interface WebSocketResponse {
  readonly status: 101;
  /**
   * Headers from the service's 101, with names in any case: the subprotocol and extensions that it
   * chose. The router sets `Upgrade`, `Connection` and `X-Request-Id`, and `Sec-WebSocket-Accept` if it
   * is missing. Without `headers`, `open` writes the 101 itself, as `handleUpgrade` in `ws` does. It
   * must then include `X-Request-Id: <call.requestId>` (D9), and no `Content-Disposition` (C3).
   */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Called once, after the 101 is written. The router does not parse frames.
   *
   * @param head bytes that the client has already sent
   */
  readonly open: (socket: Duplex, head: Buffer) => void;
}

/**
 * Opens a WebSocket to a hosted service. A response with any status other than 101 means that the service
 * itself rejects the WebSocket, and is sent as is. To reject the call on behalf of the gateway, throw a
 * `GatewayError`.
 */
export type WebSocketHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => WebSocketResponse | ServiceResponse | Promise<WebSocketResponse | ServiceResponse>;
