import type { Duplex, Readable } from 'node:stream';
import type { Handlers } from '../generated/gateway.v1/index.gen.ts';
import type { BodyWriter, Call, RawBody } from '../runtime/index.ts';

/** A call to a hosted service, as it has to reach the service. */
export interface GatewayInput {
  /** Name of the hosted service; it fits the contract's pattern. */
  readonly name: string;
  /** What follows `/{name}/` in the path, bytes as they came (D3); empty for the root. */
  readonly anyPath: string;
  /** Query as it came, without the question mark; undefined where there is none. */
  readonly rawQuery: string | undefined;
  /** Request target for the service: `/`, `anyPath` and the query, bytes as they came. */
  readonly target: string;
  /** `GET`, `HEAD` or `POST`. A HEAD is answered like a GET, and its body is left out (D11). */
  readonly method: string;
  /**
   * Headers for the service, names in lower case: without those that end at this connection (RFC 9110,
   * section 7.6.1) and `expect`, which the router has met, and with the call's own `x-request-id` (D9).
   * `call.request.headers` has all of them.
   */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Body of a POST, unparsed; undefined for GET and HEAD. It fails beyond the limit (D13). */
  readonly body: Readable | undefined;
}

/**
 * What a hosted service answered. It passes through unchanged (D7), save that the router removes
 * hop-by-hop headers, sets `Content-Disposition` by C1 to C3, `X-Request-Id` and the CORS headers, and
 * adds the service's status as `X-Svc-Upstream-Status-Code` (D10).
 */
export interface ServiceAnswer {
  readonly status: number;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Sent as it is; a stream is read no faster than the caller takes it. */
  readonly body?: RawBody | BodyWriter;
}

/** A call to a hosted service on its way to an answer. */
export interface GatewayCall<Caller = unknown>
  extends Call<{ readonly bearerToken?: Caller; readonly signature?: Caller }> {
  /** Environment that the host name selects (D12). */
  readonly env: string;
  /** Who was let in: what the security handler returned. */
  readonly caller: Caller;
}

/**
 * Calls a hosted service. To refuse, throw a `GatewayError`; what is returned counts as the service's
 * own answer, whatever its status.
 */
export type GatewayHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => ServiceAnswer | Promise<ServiceAnswer>;

/** Handlers of the gateway by operationId. An operation that is left out answers 501. */
export type GatewayHandlers<Caller = unknown> = {
  readonly [Id in keyof Handlers]?: GatewayHandler<Caller>;
} & {
  /** Opens the WebSockets of both GET operations, where `upgrade` is wired. Left out: 501. */
  readonly webSocket?: WebSocketHandler<Caller>;
};

/** That a WebSocket is open: the answer is 101, and the connection belongs to `open` from then on. */
export interface WebSocketAnswer {
  readonly status: 101;
  /**
   * Headers of the service's 101, names in any case: the subprotocol and the extensions that it chose.
   * `Upgrade`, `Connection` and `X-Request-Id` are the router's, and so is `Sec-WebSocket-Accept` where it
   * is not given. Absent: `open` writes the 101 itself, as `handleUpgrade` of `ws` does; `X-Request-Id:
   * <call.requestId>` must then be in it (D9), and no `Content-Disposition` (C3).
   */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Called once, when the 101 is written. Frames pass both ways as bytes; nothing here reads them.
   *
   * @param head what the client has sent already
   */
  readonly open: (socket: Duplex, head: Buffer) => void;
}

/**
 * Opens a WebSocket to a hosted service. An answer of another status is the service's own refusal and
 * passes as it is; to refuse in the gateway's name, throw a `GatewayError`.
 */
export type WebSocketHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => WebSocketAnswer | ServiceAnswer | Promise<WebSocketAnswer | ServiceAnswer>;
