import type { MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
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
