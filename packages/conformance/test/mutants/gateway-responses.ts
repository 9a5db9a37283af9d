import { randomUUID } from 'node:crypto';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';
import {
  callAgain,
  changeJson,
  gatewayError,
  gatewayResponse,
  passHeader,
  removeHeader,
  retarget,
  serviceResponse,
  setBody,
  setHeader,
  setStatus,
  toRefusal,
  upgraded,
  valuesOfService,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const DISPOSITION = 'Content-Disposition';
const REQUEST_ID = 'X-Request-Id';
/** Where nginx adds a header that is not declared `always`. */
const OF_NGINX = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];

const isSet = ({ headers }: MutatedResponse) => headers.get(DISPOSITION);

const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const WRONG: Parameters<typeof gatewayError>[0] = {
  when: (_, { headers }) => headers.get('Authorization') === 'Bearer wrong',
};
const DEEP = /(\/[^/]*){5}/;

/** Changes each piece of an event stream as it arrives. */
const pieces = (change: (piece: Buffer) => Buffer): Hooks => ({
  async *messages(all, { isHandshake }) {
    for await (const message of all)
      yield isHandshake ? message : { ...message, data: change(message.data) };
  },
});

const dropLines = (text: string) => text.replace(/(^data:.*\r?\n)(?:data:.*\r?\n)+/gm, '$1');

export const gatewayResponses: Rows = {
  'GW-STATUS: a 504 becomes a 502': gatewayResponse({ method: 'GET', status: 504 }, setStatus(502)),
  'GW-STATUS: the gateway follows a redirect of the service': (context) =>
    serviceResponse({ method: 'GET', status: [301, 302, 307] }, async (response, request) => {
      request.target = '/v1/cloudrun/conformance/moved';
      Object.assign(response, await callAgain(context, request));
    }),
  'GW-HEADERS: Set-Cookie headers are joined into one': serviceResponse(
    { when: ({ headers }) => headers.get('Set-Cookie') },
    ({ headers }) => headers.set('Set-Cookie', headers.all('Set-Cookie').join(', ')),
  ),
  'GW-HEADERS: a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
  'GW-HOP-BY-HOP: headers that Connection lists pass': gatewayResponse(
    {},
    passHeader('X-Conformance-One', 'add'),
  ),
  'GW-HOP-BY-HOP: Keep-Alive passes with events': serviceResponse(
    { type: 'text/event-stream' },
    passHeader('Keep-Alive'),
  ),
  'GW-BODY: an object with a code is wrapped in data': gatewayResponse(
    { method: 'GET', status: 200, code: 'OK' },
    (response) => {
      response.json = { data: response.json };
    },
  ),
  'GW-BODY: JSON is parsed and serialized again': gatewayResponse(
    { method: 'POST', status: 200, type: 'application/json' },
    changeJson({}),
  ),
  'GW-BODY: a 404 page is replaced': serviceResponse({ status: 404 }, setBody('<h1>None</h1>')),
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
  'GW-REQUEST-ID/1: a redirect has no X-Request-Id': gatewayResponse(
    { status: 302 },
    removeHeader(REQUEST_ID),
  ),
  'GW-REQUEST-ID/2: a rejected handshake has no X-Request-Id': gatewayError(
    { when: (_, { headers }) => headers.get('Upgrade') },
    removeHeader(REQUEST_ID),
  ),
  'GW-REQUEST-ID/3: a response to another method than GET or POST has no X-Request-Id':
    gatewayResponse(
      { when: (_, { method }) => method !== 'GET' && method !== 'POST' },
      removeHeader(REQUEST_ID),
    ),
  'GW-REQUEST-ID/3: a response to a preflight has no X-Request-Id': gatewayResponse(
    { method: 'OPTIONS', when: (_, { headers }) => headers.get('Access-Control-Request-Method') },
    removeHeader(REQUEST_ID),
  ),
  "GW-REQUEST-ID-NEW/1: the caller's ID is reused": gatewayResponse(
    { status: 200 },
    ({ headers }, request) => {
      const id = request.headers.get(REQUEST_ID);
      if (id) headers.set(REQUEST_ID, id);
    },
  ),
  'GW-REQUEST-ID-NEW/1: there are only twelve IDs': () => {
    let count = 0;
    return gatewayResponse({}, ({ headers }) => {
      count += 1;
      headers.set(REQUEST_ID, String(count % 12));
    });
  },
  "GW-REQUEST-ID-NEW/2: the service's ID is added": gatewayResponse(
    { method: 'POST' },
    ({ headers }, request) => {
      for (const id of valuesOfService(request, REQUEST_ID)) headers.add(REQUEST_ID, id);
    },
  ),
  'GW-SSE: only the first line of data arrives': pieces((piece) =>
    Buffer.from(dropLines(piece.toString('latin1')), 'latin1'),
  ),
  'GW-SSE: a split character is replaced': pieces((piece) => Buffer.from(piece.toString())),
  'GW-ERROR/1: an error for a POST has no requestId': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    changeJson({ requestId: undefined }),
  ),
  'GW-ERROR/1: an error is HTML if the caller accepts that': gatewayError(
    { when: (_, { headers }) => headers.get('Accept')?.includes('text/html') },
    setBody('<h1>An error has occurred</h1>', 'text/html'),
  ),
  'GW-ERROR/1: an error with a code of its own has no message': gatewayError(
    WRONG,
    changeJson({ code: 'NOT_HERE', message: undefined }),
  ),
  'GW-ERROR/2: the requestId next to a code of its own differs': gatewayError(WRONG, (response) =>
    changeJson({ code: 'NOT_HERE', requestId: randomUUID() })(response),
  ),
  'GW-ERROR/2: the requestId for a POST differs': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    (response) => changeJson({ requestId: randomUUID() })(response),
  ),
  'GW-ERROR-FORBIDDEN: a forbidden service is hidden as a missing one': gatewayError(
    FORBIDDEN,
    (response) => Object.assign(response, toRefusal(404, 'SERVICE_NOT_FOUND')),
  ),
  'GW-ERROR-FORBIDDEN: the code differs on a deep path': gatewayError(
    { ...FORBIDDEN, path: DEEP },
    changeJson({ code: 'FORBIDDEN' }),
  ),
  'GW-ERROR-NOT-FOUND: a POST gets a 410': gatewayResponse(
    { method: 'POST', status: 404, code: 'SERVICE_NOT_FOUND' },
    setStatus(410),
  ),
  'GW-ERROR-NOT-FOUND: the beginning of a name is enough': retarget((target) =>
    target.replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
  ),
};
