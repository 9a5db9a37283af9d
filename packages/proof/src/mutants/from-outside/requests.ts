import type { MutatedRequest } from '../../proxy/messages.ts';
import { type Mutant, mutant } from '../mutant.ts';
import {
  changeBody,
  changeJson,
  changeText,
  forwardedRequest,
  keepHeaders,
  removeHeader,
  rewriteHeaders,
} from '../support/gateway.ts';

const onHeaders = (breaks: string, change: (request: MutatedRequest) => void) =>
  mutant('GW-FORWARD-HEADERS', breaks, forwardedRequest(change));

const onBody = (breaks: string, change: (request: MutatedRequest) => void) =>
  mutant('GW-FORWARD-BODY', breaks, forwardedRequest(change));

/** Mutants that change requests before they forward them, as real gateways do. */
export const requests: readonly Mutant[] = [
  mutant(
    'GW-FORWARD-METHOD',
    'a POST without a body becomes a GET',
    forwardedRequest((request) => {
      if (request.method === 'POST' && request.body.length === 0) request.method = 'GET';
    }),
  ),
  mutant(
    'GW-FORWARD-METHOD',
    'a POST to the root of a service becomes a GET',
    forwardedRequest((request) => {
      if (request.method !== 'POST' || !/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) return;
      request.method = 'GET';
      request.body = Buffer.alloc(0);
      request.headers.remove('Content-Type');
      request.headers.remove('Content-Length');
    }),
  ),
  onHeaders(
    'a JSON content type gets a charset',
    rewriteHeaders(/^content-type$/i, (type) =>
      type.replace(/^application\/json$/, '$&; charset=utf-8'),
    ),
  ),
  onHeaders(
    'parameters of the content type are lost',
    rewriteHeaders(/^content-type$/i, (type) => type.replace(/^(application\/json).*/, '$1')),
  ),
  onHeaders(
    'values of headers are lower-cased',
    rewriteHeaders(/^x-/i, (value) => value.toLowerCase()),
  ),
  onHeaders('only the last of a repeated header is kept', ({ headers }) => {
    const last = new Map(headers.list.map(([name, value]) => [name.toLowerCase(), value]));
    for (const [name, value] of last) if (headers.all(name).length > 1) headers.set(name, value);
  }),
  onHeaders(
    'headers with an empty value are lost',
    keepHeaders((_, value) => value !== ''),
  ),
  onHeaders(
    'values of headers are truncated to 256 bytes',
    rewriteHeaders(/^x-/i, (value) => value.slice(0, 256)),
  ),
  onHeaders(
    'two spaces in a value become one',
    rewriteHeaders(/^/, (value) => value.replace(/ {2,}/g, ' ')),
  ),
  onHeaders(
    'what follows a comma in a value is lost',
    rewriteHeaders(/^x-/i, (value) => value.replace(/,.*/, '')),
  ),
  onHeaders('headers of a GET are lost', (request) => {
    if (request.method === 'GET' && !request.path.includes('/events'))
      keepHeaders((name) => !/^x-/i.test(name))(request);
  }),
  onHeaders('Accept becomes */*', (request) => {
    if (!request.path.includes('/events')) rewriteHeaders(/^accept$/i, () => '*/*')(request);
  }),
  ...['Cookie', 'If-None-Match', 'Accept-Language', 'User-Agent'].map((name) =>
    onHeaders(`${name} is lost`, removeHeader(name)),
  ),
  onBody('JSON is parsed and serialized again', changeJson({})),
  onBody(
    'an empty JSON object is sent as no body',
    changeText((text) => (text === '{}' ? '' : text)),
  ),
  onBody(
    'what follows 16 KiB is lost',
    changeBody((body) => body.subarray(0, 16_384)),
  ),
  onBody(
    'trailing white space is lost',
    changeText((text) => text.replace(/\s+$/, '')),
  ),
  onBody(
    'CRLF becomes LF',
    changeText((text) => text.replaceAll('\r\n', '\n')),
  ),
  onBody('a chunked body is lost', (request) => {
    if (request.headers.get('Transfer-Encoding')) request.body = Buffer.alloc(0);
  }),
  onBody('characters beyond U+FFFF become question marks', (request) => {
    const text = request.body.toString();
    if (Buffer.from(text).equals(request.body))
      request.body = Buffer.from(text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'));
  }),
  onBody(
    'a member named __proto__ or constructor is lost',
    changeText((text) =>
      text.replace(/"(__proto__|constructor)"\s*:\s*("[^"]*"|\{[^}]*\}|\d+|\w+),?/g, ''),
    ),
  ),
];
