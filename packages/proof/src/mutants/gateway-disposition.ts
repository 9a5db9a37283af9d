import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  gatewayResponse,
  passHeader,
  removeHeader,
  setHeader,
  statuses,
  upgraded,
} from './support/gateway.ts';

const NAME = 'Content-Disposition';
const remove = removeHeader(NAME);
const attach = setHeader(NAME, 'attachment');

export const gatewayDisposition: readonly Mutant[] = [
  ...mutantsOf('GW-C1', {
    'a JSON response to a GET has no Content-Disposition': gatewayResponse(
      { method: 'GET', type: 'application/json' },
      remove,
    ),
    'a service error in response to a GET has no Content-Disposition': gatewayResponse(
      { method: 'GET', status: statuses(5) },
      remove,
    ),
  }),
  ...mutantsOf('GW-C2', {
    'audio in response to a POST has no Content-Disposition': gatewayResponse(
      { method: 'POST', type: /^audio\// },
      remove,
    ),
    'a response to a POST with a status other than 200 has no Content-Disposition': gatewayResponse(
      { method: 'POST', when: ({ status }) => status !== 200 },
      remove,
    ),
  }),
  ...mutantsOf('GW-C2-TEXT', {
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
  }),
  mutant(
    'GW-C2-PARAMETERS',
    'JSON with a charset does not count as a text type',
    gatewayResponse({ method: 'POST', contentType: /^application\/json;/ }, attach),
  ),
  mutant(
    'GW-C2-PARAMETERS',
    'a type counts as text if a parameter names a text type',
    gatewayResponse({ method: 'POST', contentType: /;.*(application\/json|text\/plain)/ }, remove),
    ['GW-C2-NOT-TEXT'],
  ),
  ...mutantsOf('GW-C2-NOT-TEXT', {
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
  }),
  ...mutantsOf('GW-C3', {
    'an event stream in response to a POST is sent as an attachment': gatewayResponse(
      { method: 'POST', type: 'text/event-stream' },
      attach,
    ),
    'an event stream with a charset is sent as an attachment': gatewayResponse(
      { contentType: /^text\/event-stream;/ },
      attach,
    ),
  }),
  ...mutantsOf('GW-C3-WEBSOCKET', {
    'a 101 is sent as an attachment': upgraded(attach),
    "a 101 has the service's Content-Disposition": upgraded(passHeader(NAME)),
  }),
  ...mutantsOf('GW-DISPOSITION-INLINE', {
    'an inline disposition from the service is kept next to attachment in response to a POST':
      gatewayResponse(
        { method: 'POST', when: ({ headers }) => headers.get(NAME) },
        passHeader(NAME, 'add', /^inline/i),
      ),
    'an inline disposition from the service replaces attachment on HTML': gatewayResponse(
      { method: 'GET', type: 'text/html' },
      passHeader(NAME, 'set', /^inline/i),
    ),
  }),
];
