import { gunzipSync } from 'node:zlib';
import { type Mutant, mutant } from './mutant.ts';
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
    'an object with a code counts as an envelope and is returned inside data',
    gatewayResponse({ method: 'GET', status: 200, code: 'OK' }, (response) => {
      response.json = { data: response.json };
    }),
  ),
  mutant(
    'GW-GET-TEXT',
    'line breaks in plain text become LF',
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
    'plain text that is JSON gets the content type of JSON',
    gatewayResponse(
      { method: 'POST', type: 'text/plain', when: ({ json }) => json?.not },
      setHeader('Content-Type', 'application/json'),
    ),
  ),
  mutant(
    'GW-STATUS',
    'an unregistered status becomes the first of its class',
    gatewayResponse({ when: ({ status }) => status % 100 === 99 }, (response) => {
      response.status -= 99;
    }),
  ),
  mutant(
    'GW-STATUS',
    '504 from the service becomes a 502 error of the gateway',
    gatewayResponse({ method: 'GET', status: 504 }, setStatus(502)),
  ),
  mutant(
    'GW-STATUS',
    '308 to a POST becomes 302',
    gatewayResponse({ method: 'POST', status: 308 }, setStatus(302)),
  ),
  mutant(
    'GW-HEADERS',
    'cookies of a response are joined into one header',
    gatewayResponse(
      {},
      setHeader('Set-Cookie', (cookies) => cookies || undefined),
    ),
  ),
  mutant(
    'GW-HEADERS',
    'response headers with an underscore are dropped',
    gatewayResponse(
      {},
      keepHeaders((name) => !name.includes('_')),
    ),
  ),
  mutant(
    'GW-HEADERS',
    'a 304 loses its ETag',
    gatewayResponse({ status: 304 }, removeHeader('ETag')),
  ),
  mutant('GW-HEADERS', "the 101 of a WebSocket loses the service's cookies", {
    upgraded: removeHeader('Set-Cookie'),
  }),
  mutant(
    'GW-HOP-BY-HOP',
    "headers named in the service's Connection reach the caller",
    gatewayResponse({}, passHeader('X-Conformance-One', 'add')),
  ),
  mutant(
    'GW-HOP-BY-HOP',
    'Proxy-Connection of a service error reaches the caller',
    gatewayResponse({ status: 404 }, passHeader('Proxy-Connection', 'add')),
  ),
  mutant(
    'GW-BODY',
    'JSON from the service is parsed and serialized again',
    gatewayResponse({ method: 'POST', status: 200, type: 'application/json' }, changeJson({})),
  ),
  mutant(
    'GW-BODY',
    'an image is cut off after 65,536 bytes',
    gatewayResponse(
      { type: 'image/png' },
      changeBody((body) => body.subarray(0, 65_536)),
    ),
  ),
  mutant(
    'GW-BODY',
    'a compressed body is decompressed',
    gatewayResponse(
      { when: ({ headers }) => headers.get('Content-Encoding') === 'gzip' },
      changeBody((body) => gunzipSync(body)),
    ),
  ),
  mutant(
    'GW-BODY',
    'a 404 page from the service is replaced by one of the gateway',
    gatewayResponse({ status: 404, type: 'text/html' }, setBody('<h1>Not found</h1>')),
  ),
];
