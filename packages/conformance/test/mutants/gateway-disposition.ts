import type { MutatedResponse } from '../proxy/messages.ts';
import {
  passHeader,
  removeHeader,
  serviceResponse,
  setHeader,
  upgraded,
  valuesOfService,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const NAME = 'Content-Disposition';
/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];

const isSet = ({ headers }: MutatedResponse) => headers.get(NAME);

export const gatewayDisposition: Rows = {
  'GW-C1: a JSON response to a GET has no Content-Disposition': serviceResponse(
    { method: 'GET', type: 'application/json' },
    removeHeader(NAME),
  ),
  'GW-C1: an error of the service has no Content-Disposition': serviceResponse(
    { method: 'GET', when: ({ status }) => !OF_NGINX.includes(status) },
    removeHeader(NAME),
  ),
  'GW-C2/1: types that end in +json count as text': serviceResponse(
    { method: 'POST', type: /\+json$/ },
    removeHeader(NAME),
  ),
  'GW-C2/2: a Content-Disposition from the service is kept on a text type': serviceResponse(
    { method: 'POST', type: 'text/plain' },
    passHeader(NAME),
  ),
  'GW-C2/2: JSON with a charset does not count as a text type': serviceResponse(
    {
      method: 'POST',
      when: ({ headers }) => headers.get('Content-Type')?.startsWith('application/json;'),
    },
    setHeader(NAME, 'attachment'),
  ),
  'GW-C3/1: that of the service passes with an event stream': serviceResponse(
    { type: 'text/event-stream' },
    passHeader(NAME),
  ),
  'GW-C3/1: an event stream is exempt only if the caller accepts nothing else': serviceResponse(
    {
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    },
    setHeader(NAME, 'attachment'),
  ),
  "GW-C3/2: a 101 has the service's Content-Disposition": upgraded(passHeader(NAME)),
  'GW-DISPOSITION-INLINE: an inline disposition from the service is kept next to attachment':
    serviceResponse({ method: 'POST', when: isSet }, passHeader(NAME, 'add')),
  'GW-DISPOSITION-INLINE: attachment becomes a parameter of inline': serviceResponse(
    { when: isSet },
    ({ headers }, request) => {
      if (valuesOfService(request, NAME)[0] === 'inline') headers.set(NAME, 'inline; attachment');
    },
  ),
};
