import type { Rows } from './mutant.ts';
import {
  changeJson,
  changeText,
  gatewayResponse,
  passHeader,
  removeHeader,
  replace,
  serviceResponse,
  setBody,
  setHeader,
  setStatus,
} from './support/gateway.ts';

const RESPOND_PATH = /\/respond$/;

export const gatewayResponses: Rows = {
  'GW-PAYLOAD/1: an object with a code is mistaken for an envelope and returned inside data':
    gatewayResponse({ method: 'GET', status: 200, code: 'OK' }, (response) => {
      response.json = { data: response.json };
    }),
  'GW-PAYLOAD/1: an empty object becomes 204': serviceResponse(
    { method: 'GET', when: ({ body }) => body.toString() === '{}' },
    setStatus(204),
  ),
  'GW-PAYLOAD/2: line breaks in plain text are converted to LF': gatewayResponse(
    { method: 'GET', contentType: 'text/plain' },
    changeText(replace('\r\n', '\n')),
  ),
  'GW-PAYLOAD/2: the text becomes a JSON string': serviceResponse(
    { method: 'GET', path: RESPOND_PATH, status: 200, type: 'text/plain' },
    (response) => {
      response.json = response.body.toString();
      response.headers.set('Content-Type', 'application/json');
    },
  ),
  'GW-PAYLOAD/3: null properties of an object are dropped': gatewayResponse(
    { method: 'POST', when: ({ json }) => json?.none === null },
    changeJson({ none: undefined }),
  ),
  'GW-PAYLOAD/3: the status of a POST becomes 201': serviceResponse(
    { method: 'POST', status: 200, type: 'application/json' },
    setStatus(201),
  ),
  'GW-PAYLOAD/4: plain text that is valid JSON gets the content type application/json':
    gatewayResponse(
      { method: 'POST', type: 'text/plain', when: ({ json }) => json?.not },
      setHeader('Content-Type', 'application/json'),
    ),
  'GW-PAYLOAD/4: the text of a POST is read as Latin-1': serviceResponse(
    { method: 'POST', type: 'text/plain' },
    (response) => {
      response.body = Buffer.from(response.body.toString('latin1'));
    },
  ),
  'GW-STATUS: a 504 from the service is replaced by a 502 from the gateway': gatewayResponse(
    { method: 'GET', status: 504 },
    setStatus(502),
  ),
  'GW-STATUS: a 308 in response to a POST becomes a 302': gatewayResponse(
    { method: 'POST', status: 308 },
    setStatus(302),
  ),
  'GW-HEADERS: Set-Cookie headers are joined into one': gatewayResponse(
    setHeader('Set-Cookie', (cookies) => cookies || undefined),
  ),
  'GW-HEADERS: a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
  "GW-HOP-BY-HOP: headers listed in the service's Connection header reach the caller":
    gatewayResponse(passHeader('X-Conformance-One', 'add')),
  'GW-HOP-BY-HOP: Keep-Alive passes with an event stream': serviceResponse(
    { type: 'text/event-stream' },
    passHeader('Keep-Alive'),
  ),
  'GW-BODY: JSON from the service is parsed and serialized again': gatewayResponse(
    { method: 'POST', status: 200, type: 'application/json' },
    changeJson({}),
  ),
  'GW-BODY: a 404 page from the service is replaced by a page from the gateway': gatewayResponse(
    { status: 404, type: 'text/html' },
    setBody('<h1>Not found</h1>'),
  ),
};
