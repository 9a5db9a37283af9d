import type { Hooks, Message, MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { isOfService } from './gateway.ts';

/** Keeps a state for each connection. */
export function perConnection<State>(create: () => State): (request: MutatedRequest) => State {
  const states = new WeakMap<object, State>();
  return ({ connection }) => {
    const state = states.get(connection) ?? create();
    states.set(connection, state);
    return state;
  };
}

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

/** Changes gateway responses except for the first on each connection. */
export const laterResponses = (change: (response: MutatedResponse) => void) => () => {
  const seen = new WeakSet<object>();
  return {
    response(response: MutatedResponse, { isGateway, connection }: MutatedRequest) {
      if (isGateway && seen.has(connection)) change(response);
      else if (isGateway) seen.add(connection);
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

/** Changes the text of event streams, decoded as Latin-1, piece by piece. */
export const pieces = (change: (text: string) => string): Hooks => ({
  async *messages(all, { isHandshake }) {
    for await (const { data, ...rest } of all)
      yield {
        ...rest,
        data: isHandshake ? data : Buffer.from(change(data.toString('latin1')), 'latin1'),
      };
  },
});
