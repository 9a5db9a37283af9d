import type { Hooks, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { authenticate, authenticateStorage } from './support/credentials.ts';
import {
  callAgain,
  changeJson,
  gatewayError,
  gatewayRequest,
  isOfService,
} from './support/gateway.ts';

const ID = 'X-Request-Id';

/** Keeps a state for each connection. */
function perConnection<State>(create: () => State): (request: MutatedRequest) => State {
  const states = new WeakMap<object, State>();
  return ({ connection }) => {
    const state = states.get(connection) ?? create();
    states.set(connection, state);
    return state;
  };
}

/** Authenticates matching gateway calls if the service was reached before on the same connection. */
const trustsConnection =
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
const trustsStorageConnection =
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
const laterResponses =
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

/** Pairs calls to hosted services that are being made at the same time. */
const pairs =
  (
    isPaired: (one: MutatedRequest, other: MutatedRequest) => boolean,
    give: (response: MutatedResponse, other: MutatedResponse) => void,
  ): Mutant['create'] =>
  (context) => {
    const open = new Set<{ request: MutatedRequest; promise: Promise<MutatedResponse> }>();
    return gatewayRequest(async (request) => {
      const isEcho = !/\/(respond|events|count|release|closed)\b/.test(request.path);
      if (request.method !== 'GET' || !isEcho || !request.headers.get('Authorization')) return;
      const other = [...open].find((one) => isPaired(one.request, request));
      const own = { request, promise: callAgain(context, request) };
      open.add(own);
      const response = await own.promise;
      if (other) give(response, await other.promise);
      open.delete(own);
      return response;
    });
  };

const takeBody = (response: MutatedResponse, other: MutatedResponse) => {
  response.body = other.body;
};

/** Mutants that keep for a connection, or mix between calls, what belongs to one call. */
export const connections: Rows = {
  'AU-EACH-CALL': {
    'a token from another environment is accepted after a valid one on the same connection': (
      context,
    ) =>
      trustsConnection(
        ({ headers }) => headers.get('Authorization') === context.otherAuthorization,
      )(context),
  },
  'AU-STORAGE-EACH-CALL': {
    'the environment of the first call on a connection counts for later calls':
      trustsStorageConnection((request, _, env) => {
        request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, env);
      }),
  },
  'GW-ENV-HOST': {
    'the Host of the first call on a connection counts for later calls': () => {
      const stateOf = perConnection<{ host?: string | undefined }>(() => ({}));
      return gatewayRequest((request) => {
        const state = stateOf(request);
        state.host ??= request.headers.get('Host');
        if (state.host) request.headers.set('Host', state.host);
      });
    },
  },
  'GW-CALLS-APART': {
    'headers of a call are sent again with the next call on the same connection': () => {
      const stateOf = perConnection<{ last?: MutatedRequest }>(() => ({}));
      return gatewayRequest((request) => {
        const state = stateOf(request);
        for (const [name, value] of state.last?.headers.list ?? [])
          if (
            !request.headers.get(name) &&
            !/^(authorization|content-|transfer-|expect|upgrade)/i.test(name)
          )
            request.headers.add(name, value);
        state.last = request;
      });
    },
    'calls at the same time that differ only in their query are made once': pairs(
      (one, other) => one.path === other.path,
      takeBody,
    ),
  },
  'GW-REQUEST-ID-NEW': {
    'every thirteenth call has that of the call before': () => {
      let count = 0;
      let last: string | undefined;
      return {
        response({ headers }, { isGateway }) {
          if (!isGateway) return;
          const own = headers.get(ID);
          count += 1;
          if (count % 13 === 0 && last) headers.set(ID, last);
          last = own;
        },
      };
    },
  },
  'GW-REQUEST-ID': {
    'only the first response on a connection has one': laterResponses(({ headers }) =>
      headers.remove(ID),
    ),
  },
  'GW-C1': {
    'only the first response on a connection has a Content-Disposition': laterResponses(
      ({ headers }) => headers.remove('Content-Disposition'),
    ),
  },
  'GW-REQUEST-ID-EQUAL': {
    'the body of an error has the ID of the first call on its connection': () => {
      const stateOf = perConnection<{ first?: string | undefined }>(() => ({}));
      const error = gatewayError((response, request) => {
        const { first } = stateOf(request);
        if (first !== undefined) changeJson({ requestId: first })(response);
      });
      return {
        async response(response, request) {
          await error.response?.(response, request);
          if (request.isGateway) stateOf(request).first ??= response.headers.get(ID);
        },
      };
    },
  },
};
