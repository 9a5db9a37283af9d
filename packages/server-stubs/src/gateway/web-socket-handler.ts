import type { Duplex } from 'node:stream';
import type { GatewayCall, GatewayInput, ServiceAnswer } from './gateway-handlers.ts';

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
