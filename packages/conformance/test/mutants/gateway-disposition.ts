import type { Rows } from './mutant.ts';
import { laterResponses } from './support/connections.ts';
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
  'GW-C1: a JSON response to a GET has no Content-Disposition': lost('GET', {
    type: 'application/json',
  }),
  'GW-C1: only the first response on a connection has a Content-Disposition': laterResponses(
    ({ headers }) => headers.remove('Content-Disposition'),
  ),
  'GW-C2/1: a service error has none on POST': lost('POST', { status: NOT_OF_NGINX }),
  'GW-C2/2: text types are compared case-sensitively': attachedOnPost({
    type: /^(application\/json|text\/plain)$/,
    contentType: /^[^;]*[A-Z]/,
  }),
  'GW-C2/2: a Content-Disposition from the service is kept on a text type': ofServicePasses({
    method: 'POST',
    type: 'text/plain',
  }),
  'GW-C2/2: JSON with a charset does not count as a text type': attachedOnPost({
    contentType: /^application\/json;/,
  }),
  'GW-C2/1: types that end in +json count as text': lost('POST', { type: /\+json$/ }),
  'GW-C2/1: a type counts as text if it contains the name of a text type': lost('POST', {
    contentType: /.(application\/json|text\/plain)/,
  }),
  'GW-C3/1: an event stream in response to a POST is sent as an attachment': attachedOnPost({
    type: 'text/event-stream',
  }),
  'GW-C3/1: that of the service passes with an event stream': ofServicePasses({
    type: 'text/event-stream',
  }),
  'GW-C3/2: a 101 is sent as an attachment': upgraded(setHeader(NAME, 'attachment')),
  "GW-C3/2: a 101 has the service's Content-Disposition": upgraded(passHeader(NAME)),
  'GW-DISPOSITION-INLINE: an inline disposition from the service is kept next to attachment in response to a POST':
    inlinePasses('add', { method: 'POST' }),
  'GW-DISPOSITION-INLINE: attachment becomes a parameter of inline': serviceResponse(
    { when: ({ headers }) => headers.get(NAME) },
    ({ headers }, request) => {
      if (valuesOfService(request, NAME)[0] === 'inline') headers.set(NAME, 'inline; attachment');
    },
  ),
};
