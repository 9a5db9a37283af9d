import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  passHeader,
  removeHeader,
  serviceResponse,
  setHeader,
  statuses,
  upgraded,
  valuesOfService,
} from '../support/gateway.ts';

const NAME = 'Content-Disposition';
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

/** Mutants that omit or duplicate the `Content-Disposition` header, or compare types too naively. */
export const dispositions: readonly Mutant[] = [
  ...mutantsOf('GW-C1', {
    'a service error has none on GET': lost({ ...get, status: NOT_OF_NGINX }),
    'a redirect has none on GET': lost({ ...get, status: statuses(3) }),
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
  }),
  ...mutantsOf('GW-C2', {
    'a service error has none on POST': lost({ ...post, status: NOT_OF_NGINX }),
    'video has none on POST': lost({ ...post, type: /^(video|audio)\// }),
    'images have none on POST': lost({ ...post, type: /^image\// }),
    'a PDF has none on POST': lost({ ...post, type: 'application/pdf' }),
  }),
  ...mutantsOf('GW-C2-TEXT', {
    'a form has one on POST': attached({
      ...post,
      type: 'application/x-www-form-urlencoded',
    }),
    'the type is compared case-sensitively': attached({
      ...post,
      contentType: /^[^;]*[A-Z]/,
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
  }),
  ...mutantsOf('GW-C2-PARAMETERS', {
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
  }),
  ...[
    ...['text/html', 'text/css', 'text/csv', 'text/xml', 'application/problem+json'],
    ...['application/json-seq', 'application/xml', 'application/javascript', 'text/markdown'],
    ...['text/javascript', 'image/svg+xml'],
  ].map((type) => mutant('GW-C2-NOT-TEXT', `${type} counts as text`, lost({ ...post, type }))),
  ...mutantsOf('GW-C2-NOT-TEXT', {
    'a type that begins with a text type counts as text': lost({
      ...post,
      type: /^(application\/json|text\/plain)./,
    }),
    'a type counts as text if a parameter names a text type': lost({
      ...post,
      contentType: /;.*(application\/json|text\/plain)/,
    }),
  }),
  ...mutantsOf('GW-C3', {
    'an event stream requested with POST has one': attached({
      ...post,
      type: 'text/event-stream',
    }),
    'an event stream with a charset has one': attached({
      contentType: /^text\/event-stream ?;/,
    }),
    'an event stream has one if the caller accepts other types too': attached({
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    }),
    'that of the service passes with an event stream': serviceResponse(
      { type: 'text/event-stream' },
      passHeader(NAME),
    ),
  }),
  ...mutantsOf('GW-C3-WEBSOCKET', {
    'the 101 has that of the service': upgraded(passHeader(NAME)),
    'the 101 of a handshake with subprotocols has one': upgraded((response, { headers }) => {
      if (headers.get('Sec-WebSocket-Protocol')) response.headers.set(NAME, 'attachment');
    }),
  }),
  ...mutantsOf('GW-DISPOSITION-INLINE', {
    'inline and attachment are sent in two headers': inlinePasses('add'),
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
  }),
];
