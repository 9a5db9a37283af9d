import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  changeBody,
  changeJson,
  changeText,
  forwardedRequest,
  keepHeaders,
  removeHeader,
  rewriteHeaders,
} from '../support/gateway.ts';

/** Mutants that change requests before they forward them, as some real gateways do. */
export const requests: readonly Mutant[] = [
  ...mutantsOf('GW-FORWARD-METHOD', {
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
  }),
  ...mutantsOf('GW-FORWARD-HEADERS', {
    'a JSON content type gets a charset': forwardedRequest(
      rewriteHeaders(/^content-type$/i, (type) =>
        type.replace(/^application\/json$/, '$&; charset=utf-8'),
      ),
    ),
    'parameters of the content type are lost': forwardedRequest(
      rewriteHeaders(/^content-type$/i, (type) => type.replace(/^(application\/json).*/, '$1')),
    ),
    'values of headers are lower-cased': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.toLowerCase()),
    ),
    'only the last of a repeated header is kept': forwardedRequest(({ headers }) => {
      const last = new Map(headers.list.map(([name, value]) => [name.toLowerCase(), value]));
      for (const [name, value] of last) if (headers.all(name).length > 1) headers.set(name, value);
    }),
    'headers with an empty value are lost': forwardedRequest(
      keepHeaders((_, value) => value !== ''),
    ),
    'values of headers are truncated to 256 bytes': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.slice(0, 256)),
    ),
    'two spaces in a value become one': forwardedRequest(
      rewriteHeaders(/^/, (value) => value.replace(/ {2,}/g, ' ')),
    ),
    'what follows a comma in a value is lost': forwardedRequest(
      rewriteHeaders(/^x-/i, (value) => value.replace(/,.*/, '')),
    ),
    'headers of a GET are lost': forwardedRequest((request) => {
      if (request.method === 'GET' && !request.path.includes('/events'))
        keepHeaders((name) => !/^x-/i.test(name))(request);
    }),
    'Accept becomes */*': forwardedRequest((request) => {
      if (!request.path.includes('/events')) rewriteHeaders(/^accept$/i, () => '*/*')(request);
    }),
  }),
  ...['Cookie', 'If-None-Match', 'Accept-Language', 'User-Agent'].map((name) =>
    mutant('GW-FORWARD-HEADERS', `${name} is lost`, forwardedRequest(removeHeader(name))),
  ),
  ...mutantsOf('GW-FORWARD-BODY', {
    'JSON is parsed and serialized again': forwardedRequest(changeJson({})),
    'an empty JSON object is sent as no body': forwardedRequest(
      changeText((text) => (text === '{}' ? '' : text)),
    ),
    'what follows 16 KiB is lost': forwardedRequest(changeBody((body) => body.subarray(0, 16_384))),
    'trailing white space is lost': forwardedRequest(
      changeText((text) => text.replace(/\s+$/, '')),
    ),
    'CRLF becomes LF': forwardedRequest(changeText((text) => text.replaceAll('\r\n', '\n'))),
    'a chunked body is lost': forwardedRequest((request) => {
      if (request.headers.get('Transfer-Encoding')) request.body = Buffer.alloc(0);
    }),
    'characters beyond U+FFFF become question marks': forwardedRequest((request) => {
      const text = request.body.toString();
      if (Buffer.from(text).equals(request.body))
        request.body = Buffer.from(text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'));
    }),
    'a member named __proto__ or constructor is lost': forwardedRequest(
      changeText((text) =>
        text.replace(/"(__proto__|constructor)"\s*:\s*("[^"]*"|\{[^}]*\}|\d+|\w+),?/g, ''),
      ),
    ),
  }),
];
