import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import { type Mutant, mutant } from '../mutant.ts';
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

const lost = (rule: RuleId, breaks: string, wanted: Match) =>
  mutant(rule, breaks, serviceResponse(wanted, removeHeader(NAME)));

const attached = (rule: RuleId, breaks: string, wanted: Match) =>
  mutant(rule, breaks, serviceResponse(wanted, setHeader(NAME, 'attachment')));

/** Lets the service's header pass if the gateway has set one. */
const inlinePasses = (
  breaks: string,
  how: 'set' | 'add',
  values = /^inline/,
  { when, ...wanted }: Match = {},
) =>
  mutant(
    'GW-DISPOSITION-INLINE',
    breaks,
    serviceResponse(
      { ...wanted, when: when ?? (({ headers }) => headers.get(NAME)) },
      passHeader(NAME, how, values),
    ),
  );

const get: Match = { method: 'GET' };
const post: Match = { method: 'POST' };

/** Mutants that omit or duplicate the `Content-Disposition` header, or compare types too naively. */
export const dispositions: readonly Mutant[] = [
  lost('GW-C1', 'a service error has none on GET', { ...get, status: NOT_OF_NGINX }),
  lost('GW-C1', 'a redirect has none on GET', { ...get, status: statuses(3) }),
  lost('GW-C1', 'JSON with a charset has none on GET', { ...get, contentType: /json;/ }),
  lost('GW-C1', 'images have none on GET', { ...get, contentType: /^image/ }),
  lost('GW-C1', 'a response without a content type has none on GET', {
    ...get,
    status: 200,
    contentType: '',
  }),
  lost('GW-C1', 'the root of a service has none on GET', {
    ...get,
    path: /^\/+[^/]+\/+[^/]+\/+[^/]+\/*$/,
  }),
  mutant(
    'GW-C1',
    'the type is form-data on GET if the service sets it',
    serviceResponse(get, passHeader(NAME, 'set', /^form-data/)),
  ),
  mutant(
    'GW-C1',
    'it is empty on GET',
    serviceResponse(
      get,
      setHeader(NAME, (value) => (value === 'attachment' ? '' : undefined)),
    ),
  ),
  lost('GW-C2', 'a service error has none on POST', { ...post, status: NOT_OF_NGINX }),
  lost('GW-C2', 'video has none on POST', { ...post, type: /^(video|audio)\// }),
  lost('GW-C2', 'images have none on POST', { ...post, type: /^image\// }),
  lost('GW-C2', 'a PDF has none on POST', { ...post, type: 'application/pdf' }),
  attached('GW-C2-TEXT', 'a form has one on POST', {
    ...post,
    type: 'application/x-www-form-urlencoded',
  }),
  attached('GW-C2-TEXT', 'the type is compared case-sensitively', {
    ...post,
    contentType: /^[^;]*[A-Z]/,
  }),
  mutant(
    'GW-C2-TEXT',
    'that of the service passes with JSON on POST',
    serviceResponse({ ...post, type: 'application/json' }, passHeader(NAME)),
  ),
  attached('GW-C2-TEXT', 'a text error has one on POST', {
    ...post,
    type: 'text/plain',
    status: statuses(4, 5),
  }),
  attached('GW-C2-PARAMETERS', 'a type with a parameter and no space does not count as text', {
    ...post,
    contentType: /^(application\/json|text\/plain);\S/,
  }),
  attached('GW-C2-PARAMETERS', 'only charset=utf-8 counts as text', {
    ...post,
    type: TEXT,
    contentType: /;(?! ?charset=utf-8$)./i,
  }),
  attached('GW-C2-PARAMETERS', 'a form with a charset does not count as text', {
    ...post,
    contentType: /urlencoded;/,
  }),
  attached('GW-C2-PARAMETERS', 'plain text with a charset does not count as text', {
    ...post,
    contentType: /^text\/plain ?;/,
  }),
  ...[
    ...['text/html', 'text/css', 'text/csv', 'text/xml', 'application/problem+json'],
    ...['application/json-seq', 'application/xml', 'application/javascript', 'text/markdown'],
    ...['text/javascript', 'image/svg+xml'],
  ].map((type) => lost('GW-C2-NOT-TEXT', `${type} counts as text`, { ...post, type })),
  lost('GW-C2-NOT-TEXT', 'a type that begins with a text type counts as text', {
    ...post,
    type: /^(application\/json|text\/plain)./,
  }),
  lost('GW-C2-NOT-TEXT', 'a type counts as text if a parameter names a text type', {
    ...post,
    contentType: /;.*(application\/json|text\/plain)/,
  }),
  attached('GW-C3', 'an event stream requested with POST has one', {
    ...post,
    type: 'text/event-stream',
  }),
  attached('GW-C3', 'an event stream with a charset has one', {
    contentType: /^text\/event-stream ?;/,
  }),
  attached('GW-C3', 'an event stream has one if the caller accepts other types too', {
    type: 'text/event-stream',
    when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
  }),
  mutant(
    'GW-C3',
    'that of the service passes with an event stream',
    serviceResponse({ type: 'text/event-stream' }, passHeader(NAME)),
  ),
  mutant('GW-C3-WEBSOCKET', 'the 101 has that of the service', upgraded(passHeader(NAME))),
  mutant(
    'GW-C3-WEBSOCKET',
    'the 101 of a handshake with subprotocols has one',
    upgraded((response, { headers }) => {
      if (headers.get('Sec-WebSocket-Protocol')) response.headers.set(NAME, 'attachment');
    }),
  ),
  inlinePasses('inline and attachment are sent in two headers', 'add'),
  mutant(
    'GW-DISPOSITION-INLINE',
    'inline and attachment are sent in one header, inline first',
    serviceResponse({ when: ({ headers }) => headers.get(NAME) }, ({ headers }, request) => {
      const [own] = valuesOfService(request, NAME);
      if (own?.startsWith('inline')) headers.set(NAME, `${own}, attachment`);
    }),
  ),
  mutant(
    'GW-DISPOSITION-INLINE',
    'attachment becomes a parameter of inline',
    serviceResponse({ when: ({ headers }) => headers.get(NAME) }, ({ headers }, request) => {
      if (valuesOfService(request, NAME)[0] === 'inline') headers.set(NAME, 'inline; attachment');
    }),
  ),
  inlinePasses('Inline in another case passes', 'set', /^(?!inline)[Ii][Nn][Ll][Ii][Nn][Ee]/),
  inlinePasses('inline with a file name passes', 'set', /^inline;/),
  inlinePasses('inline passes with HTML on POST', 'add', /^inline/, {
    ...post,
    type: 'text/html',
    when: () => true,
  }),
  inlinePasses('inline passes with errors', 'add', /^inline/, { status: statuses(4, 5) }),
];
