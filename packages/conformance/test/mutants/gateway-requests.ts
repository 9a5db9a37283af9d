import type { Hooks, MutatedRequest } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { pairs, perConnection, takeBody } from './support/connections.ts';
import {
  changeJson,
  forwardedRequest,
  gatewayRequest,
  keepHeaders,
  rewriteHeaders,
  toRefusal,
  withoutByte,
} from './support/gateway.ts';

const isChunked = ({ headers }: MutatedRequest) => headers.get('Transfer-Encoding') === 'chunked';

/** Rejects every call without `Content-Length`. */
export const refuseChunks = (status: number): Hooks =>
  forwardedRequest((request) =>
    isChunked(request) ? toRefusal(status, 'LENGTH_REQUIRED') : undefined,
  );

const changePieces = (change: (pieces: readonly Buffer[]) => Buffer[]): Hooks =>
  forwardedRequest((request) => {
    if (isChunked(request)) request.body = Buffer.concat(change(request.pieces));
  });

export const gatewayRequests: Rows = {
  'GW-FORWARD-METHOD': {
    'X-HTTP-Method-Override in a POST changes the method': gatewayRequest((request) => {
      const wanted = request.headers.get('X-HTTP-Method-Override');
      if (request.method === 'POST' && wanted) request.method = wanted;
    }),
    'a POST without a body becomes a GET': forwardedRequest((request) => {
      if (request.method === 'POST' && request.body.length === 0) request.method = 'GET';
    }),
  },
  'GW-FORWARD-HEADERS': {
    'headers whose names begin with X- do not reach the service': gatewayRequest(
      keepHeaders((name) => !/^x-/i.test(name)),
    ),
    'only the last value of a repeated header reaches the service': gatewayRequest(
      ({ headers }) => {
        const last = headers.all('X-Conformance-Repeated').at(-1);
        if (last !== undefined) headers.set('X-Conformance-Repeated', last);
      },
    ),
    'the value of a request header is truncated to 1 KiB': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, 1024)),
    ),
  },
  'GW-FORWARD-BODY': {
    'JSON is parsed and serialized again': forwardedRequest(changeJson({})),
    'only the first chunk of a chunked body arrives': changePieces((pieces) => pieces.slice(0, 1)),
    'a body of more than 1 MiB loses the byte after it': forwardedRequest(withoutByte(1_048_576)),
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
};
