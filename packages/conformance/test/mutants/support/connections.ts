import type { Hooks, MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { authenticate, authenticateStorage } from './credentials.ts';
import { gatewayRequest, isOfService } from './gateway.ts';

/** Keeps a state for each connection. */
export function perConnection<State>(create: () => State): (request: MutatedRequest) => State {
  const states = new WeakMap<object, State>();
  return ({ connection }) => {
    const state = states.get(connection) ?? create();
    states.set(connection, state);
    return state;
  };
}

/** Authenticates matching gateway calls if the service was reached before on the same connection. */
export const trustsConnection =
  (isTrusted: (request: MutatedRequest) => unknown): Mutant['create'] =>
  (context) => {
    const stateOf = perConnection(() => ({ isKnown: false }));
    return {
      ...gatewayRequest((request) => {
        if (stateOf(request).isKnown && isTrusted(request)) authenticate(request, context);
      }),
      response(response, request) {
        if (request.isGateway && isOfService(response)) stateOf(request).isKnown = true;
      },
    };
  };

/** The same for storage calls. */
export const trustsStorageConnection =
  (trust: (request: MutatedRequest, authenticateCall: () => void, env: string) => void) =>
  (context: Parameters<Mutant['create']>[0]): Hooks => {
    const stateOf = perConnection(() => ({ isKnown: false }));
    return {
      request(request) {
        if (!request.operation || !stateOf(request).isKnown) return;
        trust(request, () => authenticateStorage(request, context), context.env);
      },
      response(response, request) {
        if (request.operation && response.status === 200) stateOf(request).isKnown = true;
      },
    };
  };

/** Changes gateway responses except for the first on each connection. */
export const laterResponses =
  (change: (response: MutatedResponse, first: MutatedResponse) => void) => () => {
    const stateOf = perConnection<{ first?: MutatedResponse }>(() => ({}));
    return {
      response(response: MutatedResponse, request: MutatedRequest) {
        if (!request.isGateway) return;
        const state = stateOf(request);
        if (state.first) change(response, state.first);
        else state.first = Object.assign(Object.create(response), { ...response });
      },
    };
  };
