import type { Hooks, MutatedRequest } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import {
  changeBody,
  changeJson,
  changeQuery,
  changeText,
  drop,
  forwardedRequest,
  gatewayRequest,
  keepHeaders,
  removeHeader,
  replace,
  rewriteHeaders,
  toRefusal,
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
    'a POST to the root of a service becomes a GET': forwardedRequest((request) => {
      if (request.method !== 'POST' || !/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) return;
      request.method = 'GET';
      request.body = Buffer.alloc(0);
      request.headers.remove('Content-Type');
      request.headers.remove('Content-Length');
    }),
  },
  'GW-FORWARD-HEADERS': {
    'headers whose names begin with X- do not reach the service': [
      gatewayRequest(keepHeaders((name) => !/^x-/i.test(name))),
      'GW-CALLS-APART',
    ],
    'content type parameters do not reach the service': forwardedRequest(({ headers, method }) => {
      const [type] = headers.get('Content-Type')?.split(';', 1) ?? [];
      if (method === 'POST' && type !== undefined) headers.set('Content-Type', type);
    }),
    'only the last value of a repeated header reaches the service': gatewayRequest(
      ({ headers }) => {
        const last = headers.all('X-Conformance-Repeated').at(-1);
        if (last !== undefined) headers.set('X-Conformance-Repeated', last);
      },
    ),
    'cookies in a WebSocket handshake do not reach the service': {
      upgrade: ({ headers }) => headers.remove('Cookie'),
    },
    'a JSON content type gets a charset': forwardedRequest(
      rewriteHeaders(/^content-type$/i, replace(/^application\/json$/, '$&; charset=utf-8')),
    ),
    'values of headers are lower-cased': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.toLowerCase()),
    ),
    'headers with an empty value are lost': forwardedRequest(
      keepHeaders((_, value) => value !== ''),
    ),
    'values of headers are truncated to 256 bytes': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, 256)),
    ),
    'two spaces in a value become one': forwardedRequest(
      rewriteHeaders(/^/, replace(/ {2,}/g, ' ')),
    ),
    'what follows a comma in a value is lost': forwardedRequest(
      rewriteHeaders(/^x-/i, drop(/,.*/)),
    ),
    'headers of a GET are lost': forwardedRequest((request) => {
      if (request.method === 'GET' && !request.path.includes('/events'))
        keepHeaders((name) => !/^x-/i.test(name))(request);
    }),
    'Accept becomes */*': forwardedRequest((request) => {
      if (!request.path.includes('/events')) rewriteHeaders(/^accept$/i, () => '*/*')(request);
    }),
    ...eachOf(['Cookie', 'If-None-Match', 'Accept-Language', 'User-Agent'], (name) => [
      `${name} is lost`,
      forwardedRequest(removeHeader(name)),
    ]),
  },
  'GW-FORWARD-BODY': {
    'white space around a posted object is trimmed': gatewayRequest(
      changeText((text) => (/^\s/.test(text) ? text.trim() : text)),
    ),
    'a posted object of more than 65,536 bytes arrives truncated': gatewayRequest(
      changeBody((body) => body.subarray(0, 65_536)),
    ),
    'JSON is parsed and serialized again': forwardedRequest(changeJson({})),
    'an empty JSON object is sent as no body': forwardedRequest(
      changeText((text) => (text === '{}' ? '' : text)),
    ),
    'trailing white space is lost': forwardedRequest(changeText(drop(/\s+$/))),
    'CRLF becomes LF': forwardedRequest(changeText(replace('\r\n', '\n'))),
    'a chunked body is lost': forwardedRequest((request) => {
      if (request.headers.get('Transfer-Encoding')) request.body = Buffer.alloc(0);
    }),
    'characters beyond U+FFFF become question marks': forwardedRequest((request) => {
      const text = request.body.toString();
      if (Buffer.from(text).equals(request.body))
        request.body = Buffer.from(text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'));
    }),
    'a member named __proto__ or constructor is lost': forwardedRequest(
      changeText(drop(/"(__proto__|constructor)"\s*:\s*("[^"]*"|\{[^}]*\}|\d+|\w+),?/g)),
    ),
    'a chunked body is rejected with 400': refuseChunks(400),
    'a chunked body is rejected with 501': refuseChunks(501),
    'only the first chunk of a chunked body arrives': changePieces((pieces) => pieces.slice(0, 1)),
    'only the last chunk of a chunked body arrives': changePieces((pieces) => pieces.slice(-1)),
    'a chunked body arrives with the sizes of its chunks': changePieces((pieces) =>
      [...pieces, Buffer.alloc(0)].map((piece) =>
        Buffer.concat([
          Buffer.from(`${piece.length.toString(16)}\r\n`),
          piece,
          Buffer.from('\r\n'),
        ]),
      ),
    ),
    'each chunk is decoded as text on its own': changePieces((pieces) =>
      pieces.map((piece) => Buffer.from(piece.toString())),
    ),
  },
  'GW-CALLS-APART': {
    'each call on a connection arrives with the query of the first': () => {
      const queries = new WeakMap<object, string>();
      return gatewayRequest((request) => {
        const first = queries.get(request.connection) ?? request.query;
        queries.set(request.connection, first);
        if (first !== '') changeQuery(request, () => first);
      });
    },
  },
};
