import type { Hooks, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  changeJson,
  gatewayError,
  gatewayResponse,
  keepHeaders,
  passHeader,
  removeHeader,
  replace,
  rewriteHeaders,
  serviceResponse,
  setBody,
  setHeader,
  setStatus,
  statuses,
  upgraded,
  valuesOfService,
} from './support/gateway.ts';

const ID = 'X-Request-Id';
const OWN = /^(content-|x-request-id|x-svc|date|connection)/i;
const withoutId = removeHeader(ID);
const REDIRECTS = statuses(3).filter((status) => status !== 304);

/** Changes responses that reject a WebSocket handshake, by the gateway or by the service. */
const rejection = (
  by: 'gateway' | 'service',
  change: (response: MutatedResponse, request: MutatedRequest) => unknown,
): Hooks => {
  const isHandshake = (_: MutatedResponse, { headers }: MutatedRequest) => headers.get('Upgrade');
  return by === 'gateway'
    ? gatewayError({ when: isHandshake }, change)
    : serviceResponse({ when: isHandshake }, change);
};

/** Passes what the names in the service's `Connection` header stand for. */
const passNamed = (response: MutatedResponse, request: MutatedRequest) => {
  for (const list of valuesOfService(request, 'Connection'))
    for (const name of list.split(/\s*,\s*/)) passHeader(name, 'add')(response, request);
};

/** Mutants that treat responses without content, redirects and rejected handshakes differently (D7 to D9). */
export const rareResponses: Rows = {
  'GW-REQUEST-ID-METHODS': {
    'the response to a HEAD has none': gatewayResponse({ method: 'HEAD' }, withoutId),
    'a rejected PUT has none': gatewayResponse({ method: 'PUT' }, withoutId),
    'a rejected DELETE has an empty one': gatewayResponse({ method: 'DELETE' }, setHeader(ID, '')),
    'a 405 has none': gatewayResponse({ status: 405 }, withoutId),
  },
  'GW-REQUEST-ID-UPGRADE': {
    'a handshake that the gateway rejects gets none': rejection('gateway', withoutId),
    'a handshake that the service rejects gets none': rejection('service', withoutId),
  },
  'GW-REQUEST-ID-NEW': {
    'all 101 responses have the same': upgraded(setHeader(ID, 'of-a-handshake')),
    'all responses without content have the same': gatewayResponse(
      { status: [204, 304] },
      setHeader(ID, 'of-an-empty-response'),
    ),
    'all redirects have the same': gatewayResponse({ status: REDIRECTS }, setHeader(ID, 'moved')),
    'all responses to HEAD and OPTIONS have the same': gatewayResponse(
      { when: (_, { method }) => method === 'HEAD' || method === 'OPTIONS' },
      setHeader(ID, 'no-body'),
    ),
  },
  'GW-REQUEST-ID-OWN': {
    'that of the service is kept with a 204': serviceResponse({ status: 204 }, passHeader(ID)),
    'that of the service is kept with a redirect': serviceResponse(
      { status: REDIRECTS },
      passHeader(ID),
    ),
    'that of the service is kept if it rejects a handshake': rejection('service', passHeader(ID)),
    "the service's is added to a redirect": serviceResponse(
      { status: REDIRECTS },
      passHeader(ID, 'add'),
    ),
  },
  'GW-HEADERS': {
    'headers of a 204 are lost': serviceResponse(
      { status: 204 },
      keepHeaders((name) => OWN.test(name)),
    ),
    'the Location of a 301 is made absolute': ({ publicUrl }) =>
      serviceResponse(
        { status: 301 },
        rewriteHeaders(/^location$/i, replace(/^\//, `${publicUrl}/`)),
      ),
    'the Location of a 307 or 308 gets the prefix of the gateway': serviceResponse(
      { status: [307, 308] },
      rewriteHeaders(/^location$/i, replace(/^\//, '/v1/cloudrun/x/')),
    ),
    'WWW-Authenticate of a 401 is replaced': serviceResponse(
      { status: 401 },
      setHeader('WWW-Authenticate', 'Bearer'),
    ),
    'headers of a rejected handshake are lost': rejection(
      'service',
      keepHeaders((name) => OWN.test(name)),
    ),
    'Content-Range of a 416 is lost': serviceResponse(
      { status: 416 },
      removeHeader('Content-Range'),
    ),
    'Allow of a 405 to a POST is replaced': serviceResponse(
      { status: 405, method: 'POST' },
      setHeader('Allow', 'GET, POST'),
    ),
    'cookies of a redirect are lost': serviceResponse(
      { status: [307, 308, 301] },
      removeHeader('Set-Cookie'),
    ),
  },
  'GW-HOP-BY-HOP': {
    'headers named in Connection pass with a 204': serviceResponse({ status: 204 }, passNamed),
    'headers named in Connection pass with a 304': serviceResponse({ status: 304 }, passNamed),
    'Keep-Alive passes with a redirect': serviceResponse(
      { status: REDIRECTS },
      passHeader('Keep-Alive'),
    ),
    'Keep-Alive passes with an event stream': serviceResponse(
      { type: 'text/event-stream' },
      passHeader('Keep-Alive'),
    ),
    'Proxy-Connection passes with a 101': upgraded(passHeader('Proxy-Connection')),
  },
  'GW-C1': {
    'a redirect without content has no Content-Disposition': serviceResponse(
      { method: 'GET', status: REDIRECTS, when: ({ body }) => body.length === 0 },
      removeHeader('Content-Disposition'),
    ),
    'a 206 has no Content-Disposition': serviceResponse(
      { method: 'GET', status: 206 },
      removeHeader('Content-Disposition'),
    ),
    'a 403 or 404 of the service has no Content-Disposition': serviceResponse(
      { method: 'GET', status: [401, 403, 404], type: 'text/plain' },
      removeHeader('Content-Disposition'),
    ),
  },
  'GW-STATUS': {
    'a handshake that the service rejects gets 502': rejection('service', setStatus(502)),
  },
  'GW-BODY': {
    'the body of a handshake that the service rejects is lost': rejection('service', setBody('')),
    'the body of a redirect is lost': serviceResponse({ status: [301, 307, 308] }, setBody('')),
  },
  'GW-WS-AUTH': {
    'the body of a rejected handshake is cut to its code': rejection('gateway', (response) => {
      response.body = Buffer.from(String(response.json?.code));
    }),
  },
  'GW-REQUEST-ID-EQUAL': {
    'a rejected handshake has another ID in its body': rejection(
      'gateway',
      changeJson({ requestId: 'another' }),
    ),
  },
};
