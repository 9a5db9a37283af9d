import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketHandler,
  WebSocketResponse,
} from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { Switched } from './attempt.ts';

/** Idle time after which TCP probes a connection. */
const KEEP_ALIVE_MILLISECONDS = 60_000;

/** Calls a service. Resolves with a socket only if `upgrade` requests one. */
export type CallService = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
  upgrade: 'websocket' | undefined,
) => Promise<ServiceResponse | Switched>;

/** Opens WebSockets to services and keeps track of them. */
interface WebSockets {
  readonly handler: WebSocketHandler<Caller>;
  readonly size: number;
  close(): void;
}

/**
 * Creates the WebSocket handler. It forwards frames as bytes: subprotocols, extensions, pings and close codes
 * are between the caller and the service (D14).
 */
export function createWebSocketHandler(callService: CallService): WebSockets {
  const open = new Set<Duplex>();
  return {
    async handler(input, call) {
      const response = await callService(input, call, 'websocket');
      if (!('socket' in response)) return response;
      const { socket, headers } = response;
      // If the caller disconnects before the 101 is written, nobody takes ownership of the socket.
      const onClose = () => socket.destroy();
      call.response.once('close', onClose);
      return {
        status: 101,
        headers,
        open(client, head) {
          call.response.off('close', onClose);
          open.add(client);
          client.once('close', () => open.delete(client));
          if (head.length > 0) client.unshift(head);
          pipeSockets(client, socket);
        },
      } satisfies WebSocketResponse;
    },
    get size() {
      return open.size;
    },
    close() {
      for (const client of open) client.destroy();
    },
  };
}

/**
 * Pipes bytes in both directions with backpressure. If one side ends, the other is ended; if one fails, the
 * other is destroyed. Idle connections stay open while both sides acknowledge TCP probes.
 */
function pipeSockets(client: Duplex, service: Duplex): void {
  for (const [from, to] of [
    [client, service],
    [service, client],
  ] as const) {
    prepare(from);
    from.on('error', () => {});
    from.once('close', () => {
      if (from.readableEnded && from.errored === null) to.end();
      else to.destroy();
    });
    from.pipe(to);
  }
}

function prepare(socket: Duplex): void {
  const { setNoDelay, setKeepAlive, setTimeout } = socket as Partial<Socket>;
  setTimeout?.call(socket, 0);
  setNoDelay?.call(socket, true);
  setKeepAlive?.call(socket, true, KEEP_ALIVE_MILLISECONDS);
}
