import type { MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { listOrdered, mediaTypeOf } from '../support/answers.ts';

import { fault, ofService } from './fault.ts';

const ATTACHMENT = 'attachment';
const NAME = 'Content-Disposition';
/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];
const own = (request: MutatedRequest) => listOrdered(request, NAME)[0];

/** How the header is forgotten, doubled or compared too simply. */
export const dispositions: readonly Mutant[] = [
  fault(
    'GW-C1',
    'an error of the service on GET carries none',
    ofService(({ headers, status }, { method }) => {
      if (method === 'GET' && !OF_NGINX.includes(status)) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'a redirect on GET carries none',
    ofService(({ headers, status }, { method }) => {
      if (method === 'GET' && status >= 300 && status < 400) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'a GET of JSON with a charset carries none',
    ofService(({ headers }, { method }) => {
      if (method === 'GET' && /json;/.test(headers.get('Content-Type') ?? '')) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'a GET of images carries none',
    ofService(({ headers }, { method }) => {
      if (method === 'GET' && /^image/.test(headers.get('Content-Type') ?? ''))
        headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'a GET without a content type carries none',
    ofService(({ headers, status }, { method }) => {
      if (method === 'GET' && status === 200 && headers.get('Content-Type') === undefined)
        headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'a GET of the root of a service carries none',
    ofService(({ headers }, { method, path }) => {
      if (method === 'GET' && path.split('/').filter(Boolean).length === 3) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C1',
    'the type of a GET is form-data where the service sets that',
    ofService(({ headers }, request) => {
      if (request.method === 'GET' && own(request)?.startsWith('form-data'))
        headers.set(NAME, own(request) ?? '');
    }),
  ),
  fault(
    'GW-C1',
    'a GET carries an empty one',
    ofService(({ headers }, { method }) => {
      if (method === 'GET' && headers.get(NAME) === ATTACHMENT) headers.set(NAME, '');
    }),
  ),
  fault(
    'GW-C2',
    'an error of the service on POST carries none',
    ofService(({ headers, status }, { method }) => {
      if (method === 'POST' && !OF_NGINX.includes(status)) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C2',
    'a POST of video carries none',
    ofService((answer, { method }) => {
      if (method === 'POST' && /^(video|audio)\//.test(mediaTypeOf(answer)))
        answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C2',
    'a POST of images carries none',
    ofService((answer, { method }) => {
      if (method === 'POST' && /^image\//.test(mediaTypeOf(answer))) answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C2',
    'a POST of a PDF carries none',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'application/pdf')
        answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C2-TEXT',
    'a form on POST carries one',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'application/x-www-form-urlencoded')
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-TEXT',
    'the type is compared case-sensitively',
    ofService((answer, { method }) => {
      const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
      if (method === 'POST' && type !== type.toLowerCase()) answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-TEXT',
    'that of the service passes with JSON on POST',
    ofService((answer, request) => {
      if (request.method === 'POST' && mediaTypeOf(answer) === 'application/json' && own(request))
        answer.headers.set(NAME, own(request) ?? '');
    }),
  ),
  fault(
    'GW-C2-TEXT',
    'text on POST carries one with an error',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'text/plain' && answer.status >= 400)
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-PARAMETERS',
    'a type with a parameter and no space is none of text',
    ofService(({ headers }, { method }) => {
      if (
        method === 'POST' &&
        /^(application\/json|text\/plain);\S/.test(headers.get('Content-Type') ?? '')
      )
        headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-PARAMETERS',
    'only charset=utf-8 is known',
    ofService((answer, { method }) => {
      const [, parameters] = answer.headers.get('Content-Type')?.split(/;(.*)/s) ?? [];
      const isText = /^(application\/json|text\/plain|application\/x-www-form-urlencoded)$/.test(
        mediaTypeOf(answer),
      );
      if (method === 'POST' && isText && parameters && !/^ ?charset=utf-8$/i.test(parameters))
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-PARAMETERS',
    'a form with a charset is none of text',
    ofService((answer, { method }) => {
      if (method === 'POST' && /urlencoded;/.test(answer.headers.get('Content-Type') ?? ''))
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C2-PARAMETERS',
    'plain text with a charset is none of text',
    ofService((answer, { method }) => {
      if (method === 'POST' && /^text\/plain ?;/.test(answer.headers.get('Content-Type') ?? ''))
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  ...[
    'text/html',
    'text/css',
    'text/csv',
    'text/xml',
    'application/problem+json',
    'application/json-seq',
    'application/xml',
    'application/javascript',
    'text/markdown',
    'text/javascript',
    'image/svg+xml',
  ].map((type) =>
    fault(
      'GW-C2-NOT-TEXT',
      `${type} counts as text`,
      ofService((answer, { method }) => {
        if (method === 'POST' && mediaTypeOf(answer) === type) answer.headers.remove(NAME);
      }),
    ),
  ),
  fault(
    'GW-C2-NOT-TEXT',
    'a type that begins with one of text counts as text',
    ofService((answer, { method }) => {
      if (method === 'POST' && /^(application\/json|text\/plain)./.test(mediaTypeOf(answer)))
        answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C2-NOT-TEXT',
    'a parameter that names a text type counts',
    ofService((answer, { method }) => {
      if (
        method === 'POST' &&
        /;.*(application\/json|text\/plain)/.test(answer.headers.get('Content-Type') ?? '')
      )
        answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-C3',
    'an event stream that was asked for with POST carries one',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'text/event-stream')
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C3',
    'an event stream with a charset carries one',
    ofService((answer) => {
      if (/^text\/event-stream ?;/.test(answer.headers.get('Content-Type') ?? ''))
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C3',
    'an event stream carries one where the caller accepts more than it',
    ofService((answer, { headers }) => {
      if (
        mediaTypeOf(answer) === 'text/event-stream' &&
        headers.get('Accept') !== 'text/event-stream'
      )
        answer.headers.set(NAME, ATTACHMENT);
    }),
  ),
  fault(
    'GW-C3',
    'that of the service passes with an event stream',
    ofService((answer, request) => {
      if (mediaTypeOf(answer) === 'text/event-stream' && own(request))
        answer.headers.set(NAME, own(request) ?? '');
    }),
  ),
  fault('GW-C3-WEBSOCKET', 'the 101 carries that of the service', {
    upgraded(answer, request) {
      const [value] = listOrdered(request, NAME);
      if (value) answer.headers.set(NAME, value);
    },
  }),
  fault('GW-C3-WEBSOCKET', 'the 101 of a handshake with subprotocols carries one', {
    upgraded(answer, request) {
      if (request.headers.get('Sec-WebSocket-Protocol')) answer.headers.set(NAME, ATTACHMENT);
    },
  }),
  fault(
    'GW-DISPOSITION-INLINE',
    'inline and attachment stand in two headers',
    ofService(({ headers }, request) => {
      if (own(request)?.startsWith('inline') && headers.get(NAME))
        headers.add(NAME, own(request) ?? '');
    }),
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'inline and attachment stand in one header, the first first',
    ofService(({ headers }, request) => {
      if (own(request)?.startsWith('inline') && headers.get(NAME))
        headers.set(NAME, `${own(request)}, attachment`);
    }),
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'attachment becomes a parameter of inline',
    ofService(({ headers }, request) => {
      if (own(request) === 'inline' && headers.get(NAME)) headers.set(NAME, 'inline; attachment');
    }),
    ['GW-C1', 'GW-C2'],
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'Inline in another case passes',
    ofService(({ headers }, request) => {
      const value = own(request);
      if (value && /^inline/i.test(value) && !/^inline/.test(value) && headers.get(NAME))
        headers.set(NAME, value);
    }),
    ['GW-C1', 'GW-C2'],
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'inline with a file name passes',
    ofService(({ headers }, request) => {
      if (own(request)?.startsWith('inline;') && headers.get(NAME))
        headers.set(NAME, own(request) ?? '');
    }),
    ['GW-C1', 'GW-C2'],
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'inline passes on POST of a page',
    ofService((answer, request) => {
      if (
        request.method === 'POST' &&
        mediaTypeOf(answer) === 'text/html' &&
        own(request)?.startsWith('inline')
      )
        answer.headers.add(NAME, own(request) ?? '');
    }),
  ),
  fault(
    'GW-DISPOSITION-INLINE',
    'inline passes with errors',
    ofService(({ headers, status }, request) => {
      if (status >= 400 && own(request)?.startsWith('inline') && headers.get(NAME))
        headers.add(NAME, own(request) ?? '');
    }),
  ),
];
