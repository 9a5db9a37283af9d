import type { Duplex } from 'node:stream';
import type {
  GatewayCall,
  GatewayInput,
  ServiceAnswer,
  WebSocketAnswer,
  WebSocketHandler,
} from '@berth/server-stubs';
import type { Caller } from '../../auth/caller.ts';
import type { Switched } from '../proxy/attempt.ts';
import { pipeSockets } from './pipe-sockets.ts';

/** Calls a service; answered with a socket only where `upgrade` asks for one. */
export type CallService = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
  upgrade: 'websocket' | undefined,
) => Promise<ServiceAnswer | Switched>;

/** Opens WebSockets to services and knows those that are open. */
export interface WebSockets {
  readonly handler: WebSocketHandler<Caller>;
  readonly size: number;
  close(): void;
}

/**
 * Frames pass as bytes: subprotocol, extensions, pings and close codes are between the caller and the
 * service (D14).
 */
export function createWebSocketHandler(callService: CallService): WebSockets {
  const open = new Set<Duplex>();
  return {
    async handler(input, call) {
      const answer = await callService(input, call, 'websocket');
      if (!('socket' in answer)) return answer;
      const { socket, headers } = answer;
      // Where the caller goes away before the 101 is written, nobody takes the socket over.
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
      } satisfies WebSocketAnswer;
    },
    get size() {
      return open.size;
    },
    close() {
      for (const client of open) client.destroy();
    },
  };
}
