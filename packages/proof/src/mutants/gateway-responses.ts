import { gunzipSync } from 'node:zlib';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  changeBody,
  changeJson,
  changeText,
  gatewayResponse,
  keepHeaders,
  passHeader,
  removeHeader,
  setBody,
  setHeader,
  setStatus,
} from './support/gateway.ts';

export const gatewayResponses: readonly Mutant[] = [
  mutant(
    'GW-GET-JSON',
    'an object with a code is mistaken for an envelope and returned inside data',
    gatewayResponse({ method: 'GET', status: 200, code: 'OK' }, (response) => {
      response.json = { data: response.json };
    }),
  ),
  mutant(
    'GW-GET-TEXT',
    'line breaks in plain text are converted to LF',
    gatewayResponse(
      { method: 'GET', contentType: 'text/plain' },
      changeText((text) => text.replaceAll('\r\n', '\n')),
    ),
  ),
  mutant(
    'GW-POST-JSON',
    'null properties of an object are dropped',
    gatewayResponse(
      { method: 'POST', when: ({ json }) => json?.none === null },
      changeJson({ none: undefined }),
    ),
  ),
  mutant(
    'GW-POST-TEXT',
    'plain text that is valid JSON gets the content type application/json',
    gatewayResponse(
      { method: 'POST', type: 'text/plain', when: ({ json }) => json?.not },
      setHeader('Content-Type', 'application/json'),
    ),
  ),
  ...mutantsOf('GW-STATUS', {
    'an unregistered status is replaced by the first status of its class': gatewayResponse(
      { when: ({ status }) => status % 100 === 99 },
      (response) => {
        response.status -= 99;
      },
    ),
    'a 504 from the service is replaced by a 502 from the gateway': gatewayResponse(
      { method: 'GET', status: 504 },
      setStatus(502),
    ),
    'a 308 in response to a POST becomes a 302': gatewayResponse(
      { method: 'POST', status: 308 },
      setStatus(302),
    ),
  }),
  ...mutantsOf('GW-HEADERS', {
    'Set-Cookie headers are joined into one': gatewayResponse(
      {},
      setHeader('Set-Cookie', (cookies) => cookies || undefined),
    ),
    'response headers with an underscore are dropped': gatewayResponse(
      {},
      keepHeaders((name) => !name.includes('_')),
    ),
    'a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
    "the 101 of a WebSocket handshake loses the service's cookies": {
      upgraded: removeHeader('Set-Cookie'),
    },
  }),
  ...mutantsOf('GW-HOP-BY-HOP', {
    "headers listed in the service's Connection header reach the caller": gatewayResponse(
      {},
      passHeader('X-Conformance-One', 'add'),
    ),
    'the Proxy-Connection header of a service error reaches the caller': gatewayResponse(
      { status: 404 },
      passHeader('Proxy-Connection', 'add'),
    ),
  }),
  ...mutantsOf('GW-BODY', {
    'JSON from the service is parsed and serialized again': gatewayResponse(
      { method: 'POST', status: 200, type: 'application/json' },
      changeJson({}),
    ),
    'an image is cut off after 65,536 bytes': gatewayResponse(
      { type: 'image/png' },
      changeBody((body) => body.subarray(0, 65_536)),
    ),
    'a compressed body is decompressed': gatewayResponse(
      { when: ({ headers }) => headers.get('Content-Encoding') === 'gzip' },
      changeBody((body) => gunzipSync(body)),
    ),
    'a 404 page from the service is replaced by a page from the gateway': gatewayResponse(
      { status: 404, type: 'text/html' },
      setBody('<h1>Not found</h1>'),
    ),
  }),
];
