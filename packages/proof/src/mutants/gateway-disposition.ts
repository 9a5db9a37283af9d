import { eachOf, type Rows } from './mutant.ts';
import {
  gatewayResponse,
  passHeader,
  removeHeader,
  serviceResponse,
  setHeader,
  statuses,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const NAME = 'Content-Disposition';
const remove = removeHeader(NAME);
const attach = setHeader(NAME, 'attachment');

/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];
const NOT_OF_NGINX = statuses(2, 3, 4, 5).filter((status) => !OF_NGINX.includes(status));
const TEXT = /^(application\/json|text\/plain|application\/x-www-form-urlencoded)$/;

type Match = Parameters<typeof serviceResponse>[0];
const lost = (wanted: Match) => serviceResponse(wanted, removeHeader(NAME));
const attached = (wanted: Match) => serviceResponse(wanted, setHeader(NAME, 'attachment'));

/** Lets the service's header pass if the gateway has set one. */
const inlinePasses = (how: 'set' | 'add', values = /^inline/, { when, ...wanted }: Match = {}) =>
  serviceResponse(
    { ...wanted, when: when ?? (({ headers }) => headers.get(NAME)) },
    passHeader(NAME, how, values),
  );

const get: Match = { method: 'GET' };
const post: Match = { method: 'POST' };

export const gatewayDisposition: Rows = {
  'GW-C1': {
    'a JSON response to a GET has no Content-Disposition': gatewayResponse(
      { method: 'GET', type: 'application/json' },
      remove,
    ),
    'a service error in response to a GET has no Content-Disposition': gatewayResponse(
      { method: 'GET', status: statuses(5) },
      remove,
    ),
    'JSON with a charset has none on GET': lost({ ...get, contentType: /json;/ }),
    'images have none on GET': lost({ ...get, contentType: /^image/ }),
    'a response without a content type has none on GET': lost({
      ...get,
      status: 200,
      contentType: '',
    }),
    'the root of a service has none on GET': lost({
      ...get,
      path: /^\/+[^/]+\/+[^/]+\/+[^/]+\/*$/,
    }),
    'the type is form-data on GET if the service sets it': serviceResponse(
      get,
      passHeader(NAME, 'set', /^form-data/),
    ),
    'it is empty on GET': serviceResponse(
      get,
      setHeader(NAME, (value) => (value === 'attachment' ? '' : undefined)),
    ),
  },
  'GW-C2': {
    'audio in response to a POST has no Content-Disposition': gatewayResponse(
      { method: 'POST', type: /^audio\// },
      remove,
    ),
    'a service error has none on POST': lost({ ...post, status: NOT_OF_NGINX }),
    'images have none on POST': lost({ ...post, type: /^image\// }),
    'a PDF has none on POST': lost({ ...post, type: 'application/pdf' }),
  },
  'GW-C2-TEXT': {
    'text types are compared case-sensitively': gatewayResponse(
      {
        method: 'POST',
        contentType: /^(application\/json|text\/plain)$/i,
        when: ({ headers }) => /[A-Z]/.test(headers.get('Content-Type') ?? ''),
      },
      attach,
    ),
    'a Content-Disposition from the service is kept on a text type': gatewayResponse(
      { method: 'POST', type: 'text/plain' },
      passHeader(NAME),
    ),
    'a form has one on POST': attached({
      ...post,
      type: 'application/x-www-form-urlencoded',
    }),
    'that of the service passes with JSON on POST': serviceResponse(
      { ...post, type: 'application/json' },
      passHeader(NAME),
    ),
    'a text error has one on POST': attached({
      ...post,
      type: 'text/plain',
      status: statuses(4, 5),
    }),
  },
  'GW-C2-PARAMETERS': {
    'JSON with a charset does not count as a text type': gatewayResponse(
      { method: 'POST', contentType: /^application\/json;/ },
      attach,
    ),
    'a type counts as text if a parameter names a text type': [
      gatewayResponse(
        { method: 'POST', contentType: /;.*(application\/json|text\/plain)/ },
        remove,
      ),
      'GW-C2-NOT-TEXT',
    ],
    'a type with a parameter and no space does not count as text': attached({
      ...post,
      contentType: /^(application\/json|text\/plain);\S/,
    }),
    'only charset=utf-8 counts as text': attached({
      ...post,
      type: TEXT,
      contentType: /;(?! ?charset=utf-8$)./i,
    }),
    'a form with a charset does not count as text': attached({
      ...post,
      contentType: /urlencoded;/,
    }),
    'plain text with a charset does not count as text': attached({
      ...post,
      contentType: /^text\/plain ?;/,
    }),
  },
  'GW-C2-NOT-TEXT': {
    'types that end in +json count as text': gatewayResponse(
      { method: 'POST', type: /\+json$/ },
      remove,
    ),
    'HTML in response to a POST counts as text': gatewayResponse(
      { method: 'POST', type: 'text/html' },
      remove,
    ),
    'a type counts as text if it starts with the name of a text type': gatewayResponse(
      { method: 'POST', type: /^(application\/json|text\/plain)./ },
      remove,
    ),
    ...eachOf(
      [
        ...['text/html', 'text/css', 'text/csv', 'text/xml', 'application/problem+json'],
        ...['application/json-seq', 'application/xml', 'application/javascript', 'text/markdown'],
        ...['text/javascript', 'image/svg+xml'],
      ],
      (type) => [`${type} counts as text`, lost({ ...post, type })],
    ),
    'a type counts as text if a parameter names a text type': lost({
      ...post,
      contentType: /;.*(application\/json|text\/plain)/,
    }),
  },
  'GW-C3': {
    'an event stream in response to a POST is sent as an attachment': gatewayResponse(
      { method: 'POST', type: 'text/event-stream' },
      attach,
    ),
    'an event stream with a charset is sent as an attachment': gatewayResponse(
      { contentType: /^text\/event-stream;/ },
      attach,
    ),
    'an event stream has one if the caller accepts other types too': attached({
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    }),
    'that of the service passes with an event stream': serviceResponse(
      { type: 'text/event-stream' },
      passHeader(NAME),
    ),
  },
  'GW-C3-WEBSOCKET': {
    'a 101 is sent as an attachment': upgraded(attach),
    "a 101 has the service's Content-Disposition": upgraded(passHeader(NAME)),
    'the 101 of a handshake with subprotocols has one': upgraded((response, { headers }) => {
      if (headers.get('Sec-WebSocket-Protocol')) response.headers.set(NAME, 'attachment');
    }),
  },
  'GW-DISPOSITION-INLINE': {
    'an inline disposition from the service is kept next to attachment in response to a POST':
      gatewayResponse(
        { method: 'POST', when: ({ headers }) => headers.get(NAME) },
        passHeader(NAME, 'add', /^inline/i),
      ),
    'an inline disposition from the service replaces attachment on HTML': gatewayResponse(
      { method: 'GET', type: 'text/html' },
      passHeader(NAME, 'set', /^inline/i),
    ),
    'inline and attachment are sent in one header, inline first': serviceResponse(
      { when: ({ headers }) => headers.get(NAME) },
      ({ headers }, request) => {
        const [own] = valuesOfService(request, NAME);
        if (own?.startsWith('inline')) headers.set(NAME, `${own}, attachment`);
      },
    ),
    'attachment becomes a parameter of inline': serviceResponse(
      { when: ({ headers }) => headers.get(NAME) },
      ({ headers }, request) => {
        if (valuesOfService(request, NAME)[0] === 'inline') headers.set(NAME, 'inline; attachment');
      },
    ),
    'Inline in another case passes': inlinePasses('set', /^(?!inline)[Ii][Nn][Ll][Ii][Nn][Ee]/),
    'inline with a file name passes': inlinePasses('set', /^inline;/),
    'inline passes with HTML on POST': inlinePasses('add', /^inline/, {
      ...post,
      type: 'text/html',
      when: () => true,
    }),
    'inline passes with errors': inlinePasses('add', /^inline/, { status: statuses(4, 5) }),
  },
};
