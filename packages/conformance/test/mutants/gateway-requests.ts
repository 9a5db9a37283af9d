import type { Hooks, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { perConnection } from './support/connections.ts';
import { changeJson, forwardedRequest, gatewayRequest, isOfService } from './support/gateway.ts';

/** Paths at which the fixture service does not echo. */
const COMMANDS = /\/(respond|events|count|release|closed)$/;

const isChunked = ({ headers }: MutatedRequest) => headers.get('Transfer-Encoding') === 'chunked';

const changePieces = (change: (pieces: readonly Buffer[]) => Buffer[]): Hooks =>
  forwardedRequest((request) => {
    if (isChunked(request)) request.body = Buffer.concat(change(request.pieces));
  });

export const gatewayRequests: Rows = {
  'GW-FORWARD-METHOD: X-HTTP-Method-Override in a POST changes the method': gatewayRequest(
    (request) => {
      const wanted = request.headers.get('X-HTTP-Method-Override');
      if (request.method === 'POST' && wanted) request.method = wanted;
    },
  ),
  'GW-FORWARD-METHOD: a POST without a body becomes a GET': forwardedRequest((request) => {
    if (request.method === 'POST' && request.body.length === 0) request.method = 'GET';
  }),
  'GW-FORWARD-HEADERS: headers whose names begin with X- do not reach the service': gatewayRequest(
    ({ headers }) => {
      headers.list = headers.list.filter(([name]) => !/^x-/i.test(name));
    },
  ),
  'GW-FORWARD-HEADERS: only the last value of a repeated header reaches the service':
    gatewayRequest(({ headers }) => {
      const last = headers.all('X-Conformance-Repeated').at(-1);
      if (last !== undefined) headers.set('X-Conformance-Repeated', last);
    }),
  'GW-FORWARD-BODY: JSON is parsed and serialized again': forwardedRequest(changeJson({})),
  'GW-FORWARD-BODY: only the first chunk of a chunked body arrives': changePieces((pieces) =>
    pieces.slice(0, 1),
  ),
  'GW-CALLS-APART: headers of a call are sent again with the next call on the same connection':
    () => {
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
  'GW-CALLS-APART: a response is used again for the same URL with other headers': () => {
    const known = new Map<string, MutatedResponse>();
    return {
      ...gatewayRequest(({ path, target, method }) =>
        method === 'GET' && !COMMANDS.test(path) ? known.get(target) : undefined,
      ),
      response(response, { target, isGateway }) {
        if (isGateway && isOfService(response)) known.set(target, response);
      },
    };
  },
};
