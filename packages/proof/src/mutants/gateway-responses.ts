import { gunzipSync, gzipSync } from 'node:zlib';
import type { MutatedRequest } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import {
  changeBody,
  changeJson,
  changeText,
  drop,
  gatewayResponse,
  keepHeaders,
  passHeader,
  removeHeader,
  replace,
  replaceBy,
  rewriteHeaders,
  serviceResponse,
  setBody,
  setHeader,
  setStatus,
  statuses,
  toRefusal,
  valuesOfService,
} from './support/gateway.ts';

const RESPOND_PATH = /\/respond$/;
const asUtf8 = changeBody((body) => Buffer.from(body.toString()));
const empty = setBody('');

/** The names in the service's `Connection` header. */
const connectionNames = (request: MutatedRequest) =>
  valuesOfService(request, 'Connection')
    .join(',')
    .split(',')
    .map((name) => name.trim());

const charset = (type: string) =>
  serviceResponse({ contentType: type }, setHeader('Content-Type', `${type}; charset=utf-8`));
const OWN = /^(content-|x-request-id|x-svc|date|connection)/i;
const REDIRECTS = [301, 302, 303, 307, 308];

export const gatewayResponses: Rows = {
  'GW-GET-JSON': {
    'an object with a code is mistaken for an envelope and returned inside data': gatewayResponse(
      { method: 'GET', status: 200, code: 'OK' },
      (response) => {
        response.json = { data: response.json };
      },
    ),
    'the object is wrapped in data': serviceResponse(
      { method: 'GET', path: RESPOND_PATH, status: 200, contentType: 'application/json' },
      (response) => {
        response.json = { data: response.json };
      },
    ),
    'an empty object becomes 204': serviceResponse(
      { method: 'GET', when: ({ body }) => body.toString() === '{}' },
      setStatus(204),
    ),
  },
  'GW-GET-TEXT': {
    'line breaks in plain text are converted to LF': gatewayResponse(
      { method: 'GET', contentType: 'text/plain' },
      changeText(replace('\r\n', '\n')),
    ),
    'the text becomes a JSON string': serviceResponse(
      { method: 'GET', path: RESPOND_PATH, status: 200, type: 'text/plain' },
      (response) => {
        response.json = response.body.toString();
        response.headers.set('Content-Type', 'application/json');
      },
    ),
    'the text of a GET becomes text/html': serviceResponse(
      { method: 'GET', type: 'text/plain' },
      setHeader('Content-Type', 'text/html'),
    ),
  },
  'GW-POST-JSON': {
    'null properties of an object are dropped': gatewayResponse(
      { method: 'POST', when: ({ json }) => json?.none === null },
      changeJson({ none: undefined }),
    ),
    'the status of a POST becomes 201': serviceResponse(
      { method: 'POST', status: 200, type: 'application/json' },
      setStatus(201),
    ),
    'null members are omitted': serviceResponse(
      { method: 'POST', when: ({ json }) => json },
      changeText(drop(/"[^"]*":\s*null,?/g)),
    ),
  },
  'GW-POST-TEXT': {
    'plain text that is valid JSON gets the content type application/json': gatewayResponse(
      { method: 'POST', type: 'text/plain', when: ({ json }) => json?.not },
      setHeader('Content-Type', 'application/json'),
    ),
    'the text of a POST is trimmed and ends with a line feed': serviceResponse(
      { method: 'POST', status: 200, type: 'text/plain' },
      changeText((text) => `${text.trim()}\n`),
    ),
    'the text of a POST is read as Latin-1': serviceResponse(
      { method: 'POST', type: 'text/plain' },
      (response) => {
        response.body = Buffer.from(response.body.toString('latin1'));
      },
    ),
  },
  'GW-STATUS': {
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
    '500 from a service becomes 502 from the gateway': serviceResponse(
      { status: 500 },
      replaceBy(() => toRefusal(502, 'BAD_GATEWAY')),
    ),
    ...eachOf(
      [
        ['503 from a service becomes 500', 503, 500],
        ['401 from a service becomes 403', 401, 403],
        ['a redirect is followed', REDIRECTS, 200],
        ['308 becomes 301', 308, 301],
        ['204 becomes 200', 204, 200],
        ['304 becomes 200', 304, 200],
        ['206 becomes 200', 206, 200],
      ] as const,
      ([breaks, status, other]) => [breaks, serviceResponse({ status }, setStatus(other))],
    ),
    '418 becomes 400': serviceResponse({ status: 418 }, setStatus(400)),
    '429 from a service becomes 503': serviceResponse({ status: 429 }, setStatus(503)),
  },
  'GW-HEADERS': {
    'Set-Cookie headers are joined into one': gatewayResponse(
      setHeader('Set-Cookie', (cookies) => cookies || undefined),
    ),
    'response headers with an underscore are dropped': gatewayResponse(
      keepHeaders((name) => !name.includes('_')),
    ),
    'a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
    "the 101 of a WebSocket handshake loses the service's cookies": {
      upgraded: removeHeader('Set-Cookie'),
    },
    'only the first of a repeated header is kept': serviceResponse(({ headers }) => {
      for (const name of new Set(headers.list.map(([key]) => key.toLowerCase()))) {
        const [first = '', ...more] = headers.all(name);
        if (more.length > 0 && name !== 'content-disposition') headers.set(name, first);
      }
    }),
    'JSON gets a charset': charset('application/json'),
    'text/html gets a charset': charset('text/html'),
    'a strong ETag becomes a weak one': serviceResponse(
      rewriteHeaders(/^etag$/i, replace(/^"/, 'W/"')),
    ),
    'Location is made absolute': ({ publicUrl }) =>
      serviceResponse(rewriteHeaders(/^location$/i, replace(/^\//, `${publicUrl}/`))),
    'headers of a service error are lost': serviceResponse(
      { status: statuses(4, 5) },
      keepHeaders((name) => OWN.test(name)),
    ),
    'headers with an empty value are lost': serviceResponse(
      keepHeaders((_, value) => value !== ''),
    ),
    'Cache-Control of a POST becomes no-store': serviceResponse(
      { method: 'POST' },
      rewriteHeaders(/^cache-control$/i, () => 'no-store'),
    ),
    'a long value is truncated': serviceResponse(
      rewriteHeaders(/^/, (value) => value.slice(0, 1_000)),
    ),
    'values of unknown headers are lower-cased': serviceResponse(
      rewriteHeaders(/^x-(?!request-id)/i, (value) => value.toLowerCase()),
    ),
    ...eachOf(
      [
        ...['Set-Cookie', 'WWW-Authenticate', 'Last-Modified', 'Link', 'Vary', 'X-Powered-By'],
        ...['Retry-After', 'Content-Language'],
      ],
      (name) => [`${name} is lost`, serviceResponse(removeHeader(name))],
    ),
  },
  'GW-HOP-BY-HOP': {
    "headers listed in the service's Connection header reach the caller": gatewayResponse(
      passHeader('X-Conformance-One', 'add'),
    ),
    'the Proxy-Connection header of a service error reaches the caller': gatewayResponse(
      { status: 404 },
      passHeader('Proxy-Connection', 'add'),
    ),
    'a header named in Connection in another case passes': serviceResponse(
      ({ headers }, request) => {
        const sent = new URLSearchParams(request.query).getAll('header');
        for (const name of connectionNames(request)) {
          for (const [key, value = ''] of sent.map((line) => line.split(/:\s*/))) {
            if (key && key !== name && key.toLowerCase() === name.toLowerCase())
              headers.add(key, value);
          }
        }
      },
    ),
    'only the first header named in Connection is removed': serviceResponse((response, request) => {
      for (const name of connectionNames(request).slice(1))
        if (!/^(keep-alive|close)$/i.test(name)) passHeader(name, 'add')(response, request);
    }),
    ...eachOf(['Keep-Alive', 'Proxy-Connection', 'TE', 'Upgrade'], (name) => [
      `${name} passes`,
      serviceResponse(passHeader(name)),
    ]),
    'headers named in Connection pass with an error': serviceResponse(
      { status: statuses(4, 5) },
      (response, request) => {
        for (const name of connectionNames(request)) passHeader(name, 'add')(response, request);
      },
    ),
  },
  'GW-BODY': {
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
    'it is compressed even if the caller does not accept it': serviceResponse(
      {
        contentType: /^text\//,
        when: ({ body, headers }) => body.length >= 1_000 && !headers.get('Content-Encoding'),
      },
      (response) => {
        response.body = gzipSync(response.body);
        response.headers.set('Content-Encoding', 'gzip');
      },
    ),
    'a byte order mark is lost': serviceResponse(changeText(drop(/^\xef\xbb\xbf/))),
    'CRLF becomes LF in text': serviceResponse(
      { contentType: /^text\// },
      changeText(replace('\r\n', '\n')),
    ),
    'trailing white space of JSON is lost': serviceResponse(
      { type: 'application/json' },
      changeText((text) => text.trimEnd()),
    ),
    'bytes that are not UTF-8 are replaced': serviceResponse(
      { type: /^(?!application\/octet-stream$)/ },
      asUtf8,
    ),
    'bytes of unknown types that are not UTF-8 are replaced': serviceResponse({ type: '' }, asUtf8),
    'that of 404 is lost': serviceResponse({ path: RESPOND_PATH, status: 404 }, empty),
    'that of 500 is lost': serviceResponse({ path: RESPOND_PATH, status: 500 }, empty),
    'a chunked one ends after its first chunk': serviceResponse(
      { when: (_, { query }) => /chunked=1/.test(query) },
      changeBody((body) => body.subarray(0, Math.ceil(body.length / 8))),
    ),
    'an empty one becomes an object': serviceResponse(
      { path: RESPOND_PATH, when: ({ body }) => body.length === 0 },
      setBody('{}'),
    ),
    'a script is injected into HTML': serviceResponse(
      { type: 'text/html' },
      changeText(replace(/<\/body>|$/, '<script></script>$&')),
    ),
    'a compressed one is decompressed, but keeps its Content-Encoding': serviceResponse(
      { when: ({ headers }) => headers.get('Content-Encoding') },
      changeBody((body) => body.subarray(0, -1)),
    ),
    '404 from a service becomes SERVICE_NOT_FOUND': serviceResponse(
      { status: 404 },
      replaceBy(() => toRefusal(404, 'SERVICE_NOT_FOUND')),
    ),
  },
};
