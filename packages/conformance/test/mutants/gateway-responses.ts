import {
  callAgain,
  changeJson,
  gatewayResponse,
  passHeader,
  removeHeader,
  serviceResponse,
  setBody,
  setStatus,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

export const gatewayResponses: Rows = {
  'GW-STATUS: a 504 from the service is replaced by a 502 from the gateway': gatewayResponse(
    { method: 'GET', status: 504 },
    setStatus(502),
  ),
  'GW-HEADERS: Set-Cookie headers are joined into one': serviceResponse(
    { when: ({ headers }) => headers.get('Set-Cookie') },
    ({ headers }) => headers.set('Set-Cookie', headers.all('Set-Cookie').join(', ')),
  ),
  'GW-HEADERS: a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
  "GW-HOP-BY-HOP: headers listed in the service's Connection header reach the caller":
    gatewayResponse({}, passHeader('X-Conformance-One', 'add')),
  'GW-HOP-BY-HOP: Keep-Alive passes with an event stream': serviceResponse(
    { type: 'text/event-stream' },
    passHeader('Keep-Alive'),
  ),
  'GW-BODY: an object with a code is mistaken for an envelope and returned inside data':
    gatewayResponse({ method: 'GET', status: 200, code: 'OK' }, (response) => {
      response.json = { data: response.json };
    }),
  'GW-BODY: JSON from the service is parsed and serialized again': gatewayResponse(
    { method: 'POST', status: 200, type: 'application/json' },
    changeJson({}),
  ),
  'GW-BODY: a 404 page from the service is replaced by a page from the gateway': serviceResponse(
    { status: 404 },
    setBody('<h1>Not found</h1>'),
  ),
  'GW-STATUS: the gateway follows a redirect of the service': (context) =>
    serviceResponse({ method: 'GET', status: [301, 302, 307] }, async (response, request) => {
      request.target = '/v1/cloudrun/conformance/moved';
      Object.assign(response, await callAgain(context, request));
    }),
};
