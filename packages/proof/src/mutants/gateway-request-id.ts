import { randomUUID } from 'node:crypto';
import type { MutatedRequest } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  changeJson,
  gatewayResponse,
  removeHeader,
  serviceResponse,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const NAME = 'X-Request-Id';
const remove = removeHeader(NAME);

const options = (when: (headers: MutatedRequest['headers']) => unknown) =>
  gatewayResponse({ method: 'OPTIONS', when: (_, { headers }) => when(headers) }, remove);

export const gatewayRequestId: Rows = {
  'GW-REQUEST-ID': {
    'a redirect from the service has no X-Request-Id': gatewayResponse({ status: 302 }, remove),
  },
  'GW-REQUEST-ID-EQUAL': {
    'the requestId in an error response to a POST differs from the header': gatewayResponse(
      { method: 'POST', code: 'SERVICE_NOT_FOUND' },
      (response) => changeJson({ requestId: randomUUID() })(response),
    ),
  },
  'GW-REQUEST-ID-NEW': {
    "the caller's X-Request-Id is reused": gatewayResponse(
      { status: 200 },
      ({ headers }, request) => {
        const own = request.headers.get(NAME);
        if (own) headers.set(NAME, own);
      },
    ),
  },
  'GW-REQUEST-ID-OWN': {
    "the service's X-Request-Id is sent alongside the gateway's": gatewayResponse(
      { method: 'POST' },
      ({ headers }, request) => {
        for (const own of valuesOfService(request, NAME)) headers.add(NAME, own);
      },
    ),
    "the service's follows in the same header": serviceResponse(({ headers }, request) => {
      const [own] = valuesOfService(request, NAME);
      if (own) headers.set(NAME, `${headers.get(NAME)}, ${own}`);
    }),
  },
  'GW-REQUEST-ID-UPGRADE': {
    'a 101 has no X-Request-Id': upgraded(remove),
  },
  'GW-REQUEST-ID-METHODS': {
    'the response to a method other than GET and POST has no X-Request-Id': gatewayResponse(
      { when: (_, { method }) => method !== 'GET' && method !== 'POST' },
      remove,
    ),
  },
  'GW-REQUEST-ID-OPTIONS': {
    'the response to a preflight has no X-Request-Id': {
      response({ headers }, { method, headers: asked }) {
        if (method === 'OPTIONS' && asked.get('Access-Control-Request-Method'))
          headers.remove(NAME);
      },
    },
    'an OPTIONS without Origin gets none': options((headers) => !headers.get('Origin')),
  },
};
