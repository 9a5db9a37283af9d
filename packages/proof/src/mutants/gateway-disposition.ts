import { eachOf, type Rows } from './mutant.ts';
import {
  type Match,
  passHeader,
  removeHeader,
  serviceResponse,
  setHeader,
  statuses,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const NAME = 'Content-Disposition';
/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];
const NOT_OF_NGINX = statuses(2, 3, 4, 5).filter((status) => !OF_NGINX.includes(status));
const NAMES_TEXT = /;.*(application\/json|text\/plain)/;
const TEXT = /^(application\/json|text\/plain|application\/x-www-form-urlencoded)$/;

const lost = (method: string, wanted: Match) =>
  serviceResponse({ method, ...wanted }, removeHeader(NAME));
const attached = (wanted: Match) => serviceResponse(wanted, setHeader(NAME, 'attachment'));
const attachedOnPost = (wanted: Match) => attached({ method: 'POST', ...wanted });
const ofServicePasses = (wanted: Match) => serviceResponse(wanted, passHeader(NAME));

/** Lets the service's header pass if the gateway has set one. */
const inlinePasses = (how: 'set' | 'add', wanted: Match, values = /^inline/i) =>
  serviceResponse(
    { ...wanted, when: ({ headers }) => headers.get(NAME) },
    passHeader(NAME, how, values),
  );

export const gatewayDisposition: Rows = {
  'GW-C1': {
    'a JSON response to a GET has no Content-Disposition': lost('GET', {
      type: 'application/json',
    }),
    'a service error in response to a GET has no Content-Disposition': lost('GET', {
      status: statuses(5),
    }),
    'JSON with a charset has none on GET': lost('GET', { contentType: /json;/ }),
    'images have none on GET': lost('GET', { contentType: /^image/ }),
    'a response without a content type has none on GET': lost('GET', {
      status: 200,
      contentType: '',
    }),
    'the root of a service has none on GET': lost('GET', { path: /^\/+[^/]+\/+[^/]+\/+[^/]+\/*$/ }),
    'the type is form-data on GET if the service sets it': serviceResponse(
      { method: 'GET' },
      passHeader(NAME, 'set', /^form-data/),
    ),
    'it is empty on GET': serviceResponse(
      { method: 'GET' },
      setHeader(NAME, (value) => (value === 'attachment' ? '' : undefined)),
    ),
  },
  'GW-C2': {
    'audio in response to a POST has no Content-Disposition': lost('POST', { type: /^audio\// }),
    'a service error has none on POST': lost('POST', { status: NOT_OF_NGINX }),
    'images have none on POST': lost('POST', { type: /^image\// }),
    'a PDF has none on POST': lost('POST', { type: 'application/pdf' }),
  },
  'GW-C2-TEXT': {
    'text types are compared case-sensitively': attachedOnPost({
      type: /^(application\/json|text\/plain)$/,
      contentType: /^[^;]*[A-Z]/,
    }),
    'a Content-Disposition from the service is kept on a text type': ofServicePasses({
      method: 'POST',
      type: 'text/plain',
    }),
    'a form has one on POST': attachedOnPost({ type: 'application/x-www-form-urlencoded' }),
    'that of the service passes with JSON on POST': ofServicePasses({
      method: 'POST',
      type: 'application/json',
    }),
    'a text error has one on POST': attachedOnPost({ type: 'text/plain', status: statuses(4, 5) }),
  },
  'GW-C2-PARAMETERS': {
    'JSON with a charset does not count as a text type': attachedOnPost({
      contentType: /^application\/json;/,
    }),
    'a type counts as text if a parameter names a text type': [
      lost('POST', { contentType: NAMES_TEXT }),
      'GW-C2-NOT-TEXT',
    ],
    'a type with a parameter and no space does not count as text': attachedOnPost({
      contentType: /^(application\/json|text\/plain);\S/,
    }),
    'only charset=utf-8 counts as text': attachedOnPost({
      type: TEXT,
      contentType: /;(?! ?charset=utf-8$)./i,
    }),
    'a form with a charset does not count as text': attachedOnPost({ contentType: /urlencoded;/ }),
    'plain text with a charset does not count as text': attachedOnPost({
      contentType: /^text\/plain ?;/,
    }),
  },
  'GW-C2-NOT-TEXT': {
    'types that end in +json count as text': lost('POST', { type: /\+json$/ }),
    'HTML in response to a POST counts as text': lost('POST', { type: 'text/html' }),
    'a type counts as text if it starts with the name of a text type': lost('POST', {
      type: /^(application\/json|text\/plain)./,
    }),
    ...eachOf(
      [
        ...['text/css', 'text/csv', 'text/xml', 'text/javascript', 'text/markdown'],
        ...['application/problem+json', 'application/json-seq', 'application/xml'],
        ...['application/javascript', 'image/svg+xml'],
      ],
      (type) => [`${type} counts as text`, lost('POST', { type })],
    ),
    'a type counts as text if a parameter names a text type': lost('POST', {
      contentType: NAMES_TEXT,
    }),
  },
  'GW-C3': {
    'an event stream in response to a POST is sent as an attachment': attachedOnPost({
      type: 'text/event-stream',
    }),
    'an event stream with a charset is sent as an attachment': attached({
      contentType: /^text\/event-stream ?;/,
    }),
    'an event stream has one if the caller accepts other types too': attached({
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    }),
    'that of the service passes with an event stream': ofServicePasses({
      type: 'text/event-stream',
    }),
  },
  'GW-C3-WEBSOCKET': {
    'a 101 is sent as an attachment': upgraded(setHeader(NAME, 'attachment')),
    "a 101 has the service's Content-Disposition": upgraded(passHeader(NAME)),
    'the 101 of a handshake with subprotocols has one': upgraded((response, { headers }) => {
      if (headers.get('Sec-WebSocket-Protocol')) response.headers.set(NAME, 'attachment');
    }),
  },
  'GW-DISPOSITION-INLINE': {
    'an inline disposition from the service is kept next to attachment in response to a POST':
      inlinePasses('add', { method: 'POST' }),
    'an inline disposition from the service replaces attachment on HTML': inlinePasses('set', {
      method: 'GET',
      type: 'text/html',
    }),
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
    'Inline in another case passes': inlinePasses('set', {}, /^(?!inline)[Ii][Nn][Ll][Ii][Nn][Ee]/),
    'inline with a file name passes': inlinePasses('set', {}, /^inline;/),
    'inline passes with HTML on POST': serviceResponse(
      { method: 'POST', type: 'text/html' },
      passHeader(NAME, 'add', /^inline/),
    ),
    'inline passes with errors': inlinePasses('add', { status: statuses(4, 5) }),
  },
};
