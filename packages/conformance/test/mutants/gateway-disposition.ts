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

const DISPOSITION = 'Content-Disposition';
/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];

const isSet = ({ headers }: MutatedResponse) => headers.get(DISPOSITION);

export const gatewayDisposition: Rows = {
  'GW-C1: JSON has no Content-Disposition': serviceResponse(
    { method: 'GET', type: 'application/json' },
    removeHeader(DISPOSITION),
  ),
  'GW-C1: an error has no Content-Disposition': serviceResponse(
    { method: 'GET', when: ({ status }) => !OF_NGINX.includes(status) },
    removeHeader(DISPOSITION),
  ),
  'GW-C2/1: problem+json counts as text': serviceResponse(
    { method: 'POST', type: /\+json$/ },
    removeHeader(DISPOSITION),
  ),
  'GW-C2/2: a text keeps the Content-Disposition of the service': serviceResponse(
    { method: 'POST', type: 'text/plain' },
    passHeader(DISPOSITION),
  ),
  'GW-C2/2: JSON with a charset does not count as text': serviceResponse(
    {
      method: 'POST',
      when: ({ headers }) => headers.get('Content-Type')?.startsWith('application/json;'),
    },
    setHeader(DISPOSITION, 'attachment'),
  ),
  'GW-C3/1: an event stream keeps the Content-Disposition of the service': serviceResponse(
    { type: 'text/event-stream' },
    passHeader(DISPOSITION),
  ),
  'GW-C3/1: callers must accept nothing but events': serviceResponse(
    {
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    },
    setHeader(DISPOSITION, 'attachment'),
  ),
  "GW-C3/2: a 101 has the service's Content-Disposition": upgraded(passHeader(DISPOSITION)),
  'GW-DISPOSITION-INLINE: inline is kept next to attachment': serviceResponse(
    { method: 'POST', when: isSet },
    passHeader(DISPOSITION, 'add'),
  ),
  'GW-DISPOSITION-INLINE: attachment is a parameter': serviceResponse(
    { when: isSet },
    ({ headers }, request) => {
      if (valuesOfService(request, DISPOSITION)[0] === 'inline')
        headers.set(DISPOSITION, 'inline; attachment');
    },
  ),
};
