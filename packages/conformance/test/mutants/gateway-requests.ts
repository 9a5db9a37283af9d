import type { MutatedResponse } from '../proxy/messages.ts';
import {
  callAgain,
  changeJson,
  firstCounts,
  forwardedRequest,
  gatewayRequest,
  isOfService,
  serviceResponse,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

/** Paths at which the fixture service does not echo. */
const COMMANDS = /\/(respond|events|count|release|closed)$/;

export const gatewayRequests: Rows = {
  'GW-FORWARD-METHOD: a header overrides the method': gatewayRequest((request) => {
    const method = request.headers.get('X-HTTP-Method-Override');
    if (request.method === 'POST' && method) request.method = method;
  }),
  'GW-FORWARD-METHOD: a POST without a body becomes a GET': forwardedRequest((request) => {
    if (request.method === 'POST' && request.body.length === 0) request.method = 'GET';
  }),
  'GW-FORWARD-HEADERS: headers with X- are lost': gatewayRequest(({ headers }) => {
    headers.list = headers.list.filter(([name]) => !/^x-/i.test(name));
  }),
  'GW-FORWARD-HEADERS: Range does not arrive': gatewayRequest(({ headers }) =>
    headers.remove('Range'),
  ),
  'GW-FORWARD-HEADERS: only the last value of a header arrives': gatewayRequest(({ headers }) => {
    const last = headers.all('X-Conformance-Repeated').at(-1);
    if (last !== undefined) headers.set('X-Conformance-Repeated', last);
  }),
  'GW-FORWARD-BODY: JSON is parsed and serialized again': forwardedRequest(changeJson({})),
  'GW-FORWARD-BODY: only the first chunk arrives': forwardedRequest((request) => {
    const isChunked = request.headers.get('Transfer-Encoding') === 'chunked';
    if (isChunked) request.body = request.pieces[0] ?? request.body;
  }),
  'GW-CALLS-APART: cookies count for a connection': firstCounts('Cookie'),
  'GW-CALLS-APART: a response is used again for its URL': () => {
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
  'GW-CALLS-APART: a POST is sent again if the service responds with 503': (context) =>
    serviceResponse({ method: 'POST', status: 503 }, (_, request) => callAgain(context, request)),
};
