import { randomUUID } from 'node:crypto';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  changeJson,
  gatewayResponse,
  passHeader,
  removeHeader,
  setHeader,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const NAME = 'X-Request-Id';
const remove = removeHeader(NAME);

export const gatewayRequestId: readonly Mutant[] = [
  mutant(
    'GW-REQUEST-ID',
    'a redirect from the service has no X-Request-Id',
    gatewayResponse({ status: 302 }, remove),
    ['GW-REQUEST-ID-OWN'],
  ),
  mutant(
    'GW-REQUEST-ID',
    'the error for an invalid name has no X-Request-Id',
    gatewayResponse({ status: 400 }, remove),
  ),
  mutant(
    'GW-REQUEST-ID-EQUAL',
    'the requestId in an error response to a POST differs from the header',
    gatewayResponse({ method: 'POST', code: 'SERVICE_NOT_FOUND' }, (response) =>
      changeJson({ requestId: randomUUID() })(response),
    ),
  ),
  ...mutantsOf('GW-REQUEST-ID-NEW', {
    'calls that arrive in the same second share a request ID': gatewayResponse(
      { method: 'GET', status: 200 },
      setHeader(NAME, () => String(Math.floor(Date.now() / 1000))),
    ),
    "the caller's X-Request-Id is reused": gatewayResponse(
      { status: 200 },
      ({ headers }, request) => {
        const own = request.headers.get(NAME);
        if (own) headers.set(NAME, own);
      },
    ),
  }),
  ...mutantsOf('GW-REQUEST-ID-OWN', {
    "the service's X-Request-Id is sent alongside the gateway's": gatewayResponse(
      { method: 'POST' },
      ({ headers }, request) => {
        for (const own of valuesOfService(request, NAME)) headers.add(NAME, own);
      },
    ),
    "a 101 has the service's X-Request-Id": upgraded(passHeader(NAME)),
  }),
  mutant('GW-REQUEST-ID-UPGRADE', 'a 101 has no X-Request-Id', upgraded(remove)),
  mutant(
    'GW-REQUEST-ID-METHODS',
    'the response to a method other than GET and POST has no X-Request-Id',
    gatewayResponse({ when: (_, { method }) => method !== 'GET' && method !== 'POST' }, remove),
    ['GW-REQUEST-ID-OPTIONS'],
  ),
  mutant('GW-REQUEST-ID-OPTIONS', 'the response to a preflight has no X-Request-Id', {
    response({ headers }, { method, headers: asked }) {
      if (method === 'OPTIONS' && asked.get('Access-Control-Request-Method')) headers.remove(NAME);
    },
  }),
];
