import { createHash, randomUUID } from 'node:crypto';
import type { MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  changeJson,
  gatewayError,
  gatewayResponse,
  passHeader,
  removeHeader,
  serviceResponse,
  setHeader,
  statuses,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const NAME = 'X-Request-Id';
const remove = removeHeader(NAME);

/** Sets the request ID in the header, and in the body of an error. */
function give(response: MutatedResponse, id: string | undefined): void {
  if (id === undefined) return;
  response.headers.set(NAME, id);
  if (response.json?.requestId && response.json.code) changeJson({ requestId: id })(response);
}

const inBody = (status: number, toId: (id: string) => string) =>
  gatewayError(
    { status },
    changeJson((json) => {
      json.requestId = toId(json.requestId);
    }),
  );

const options = (when: (headers: MutatedRequest['headers']) => unknown) =>
  gatewayResponse({ method: 'OPTIONS', when: (_, { headers }) => when(headers) }, remove);

export const gatewayRequestId: Rows = {
  'GW-REQUEST-ID': {
    'a redirect from the service has no X-Request-Id': [
      gatewayResponse({ status: 302 }, remove),
      'GW-REQUEST-ID-OWN',
    ],
    'the error for an invalid name has no X-Request-Id': gatewayResponse({ status: 400 }, remove),
    'a service error has none': serviceResponse({ status: statuses(4, 5) }, remove),
    '204 and 304 have none': serviceResponse({ status: [204, 304] }, remove),
    'a call without credentials gets none': gatewayError({ status: 401 }, remove),
    'a forbidden service gets an empty one': gatewayError({ status: 403 }, setHeader(NAME, '')),
    'an event stream has none': serviceResponse({ type: 'text/event-stream' }, remove),
  },
  'GW-REQUEST-ID-EQUAL': {
    'the requestId in an error response to a POST differs from the header': gatewayResponse(
      { method: 'POST', code: 'SERVICE_NOT_FOUND' },
      (response) => changeJson({ requestId: randomUUID() })(response),
    ),
    'the one in the body is upper case without credentials': inBody(401, (id) => id.toUpperCase()),
    'the one in the body is empty for an invalid name': inBody(400, () => ''),
  },
  'GW-REQUEST-ID-NEW': {
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
    'it is that of the caller with errors': gatewayError((response, { headers }) =>
      give(response, headers.get(NAME)),
    ),
    'it is that of X-Correlation-Id or traceparent': serviceResponse((response, { headers }) =>
      give(response, headers.get('X-Correlation-Id') ?? headers.get('traceparent')),
    ),
    'it is made of method, URL and credentials': gatewayResponse(
      (response, { method, target, headers }) => {
        const hash = createHash('sha256').update(method + target + headers.get('Authorization'));
        give(response, hash.digest('hex'));
      },
    ),
    'every second call repeats the previous one': () => {
      let last: string | undefined;
      return serviceResponse(
        setHeader(NAME, (id) => {
          const given = last;
          last = given === undefined ? id : undefined;
          return given;
        }),
      );
    },
    'errors have the same': gatewayError((response) => give(response, 'c0ffee')),
    'it counts to ten and starts again': () => {
      let count = 0;
      return serviceResponse(setHeader(NAME, () => `request-${++count % 10}`));
    },
  },
  'GW-REQUEST-ID-OWN': {
    "the service's X-Request-Id is sent alongside the gateway's": gatewayResponse(
      { method: 'POST' },
      ({ headers }, request) => {
        for (const own of valuesOfService(request, NAME)) headers.add(NAME, own);
      },
    ),
    "a 101 has the service's X-Request-Id": upgraded(passHeader(NAME)),
    "the service's follows in the same header": serviceResponse(({ headers }, request) => {
      const [own] = valuesOfService(request, NAME);
      if (own) headers.set(NAME, `${headers.get(NAME)}, ${own}`);
    }),
    "the service's is sent next to it with an error": serviceResponse(
      { status: statuses(4, 5) },
      passHeader(NAME, 'add'),
    ),
    'that of the service is kept with an event stream': serviceResponse(
      { type: 'text/event-stream' },
      passHeader(NAME),
    ),
    'that of the service is kept on POST': serviceResponse({ method: 'POST' }, passHeader(NAME)),
    "the gateway's own is sent twice": serviceResponse(({ headers }, request) => {
      if (valuesOfService(request, NAME).length > 0) headers.add(NAME, headers.get(NAME) ?? '');
    }),
  },
  'GW-REQUEST-ID-UPGRADE': {
    'a 101 has no X-Request-Id': upgraded(remove),
    'the 101 has an empty one': upgraded(setHeader(NAME, '')),
  },
  'GW-REQUEST-ID-METHODS': {
    'the response to a method other than GET and POST has no X-Request-Id': [
      gatewayResponse({ when: (_, { method }) => method !== 'GET' && method !== 'POST' }, remove),
      'GW-REQUEST-ID-OPTIONS',
    ],
  },
  'GW-REQUEST-ID-OPTIONS': {
    'the response to a preflight has no X-Request-Id': {
      response({ headers }, { method, headers: asked }) {
        if (method === 'OPTIONS' && asked.get('Access-Control-Request-Method'))
          headers.remove(NAME);
      },
    },
    'an OPTIONS without Origin gets none': options((headers) => !headers.get('Origin')),
    'an OPTIONS without credentials gets none': options((headers) => !headers.get('Authorization')),
  },
};
