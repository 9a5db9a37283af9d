import type { Hooks, Message, MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { isOfService } from './gateway.ts';

/** Changes requests on connections on which a call has succeeded before. */
export const onTrusted =
  (change: (request: MutatedRequest, context: MutantContext) => unknown): Mutant['create'] =>
  (context) => {
    const trusted = new WeakSet<object>();
    return {
      request(request) {
        if (trusted.has(request.connection)) change(request, context);
      },
      response(response, request) {
        const isSuccess = request.isGateway ? isOfService(response) : response.status === 200;
        if (isSuccess) trusted.add(request.connection);
      },
    };
  };

/** A message that is a frame of a WebSocket. */
export type SocketFrame = Required<Message>;

/** Replaces each frame of a WebSocket. */
export const frames = (change: (frame: SocketFrame) => SocketFrame[]): Hooks => ({
  async *messages(all) {
    for await (const { from, data, opcode, fin } of all) {
      if (opcode === undefined || fin === undefined) yield { from, data };
      else yield* change({ from, data, opcode, fin });
    }
  },
});
