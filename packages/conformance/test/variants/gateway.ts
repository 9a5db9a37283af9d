import {
  changeJson,
  frames,
  gatewayError,
  removeHeader,
  serviceResponse,
  setHeader,
  toRefusal,
} from '../mutants/hooks/gateway.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Variants } from './combine.ts';

/** Rejects calls of the gateway before anything else. */
const refusing = (status: number, isRefused: (request: MutatedRequest) => unknown): Hooks => ({
  request: (request) =>
    request.isGateway && isRefused(request) ? toRefusal(status, 'NOT_HERE') : undefined,
});

/** Gives the gateway's errors with matching codes another status and code. */
const refusedWith = (status: number, codes: RegExp) =>
  gatewayError({}, (response) => {
    if (!codes.test(response.json?.code)) return;
    response.status = status;
    changeJson({ code: 'NOT_HERE' })(response);
  });

/** An opcode of RFC 6455, section 5.2. */
const PONG = 10;

const hasChunks = ({ headers }: MutatedRequest) => headers.get('Transfer-Encoding') !== undefined;
const isJson = ({ headers }: MutatedRequest) =>
  /^application\/json/i.test(headers.get('Content-Type') ?? '');

export const gateway: Variants = {
  // D8: exactly one header is our default.
  'there are two attachments': serviceResponse({}, ({ headers }) => {
    if (headers.get('Content-Disposition') === 'attachment')
      headers.add('Content-Disposition', 'Attachment; filename="a"');
  }),
  // RFC 9110, section 8.3: a sender that knows the type should say it.
  'a response without a type gets application/octet-stream': serviceResponse(
    { method: 'GET', status: 200, type: '', when: ({ body }) => body.length > 0 },
    setHeader('Content-Type', 'application/octet-stream'),
  ),
  // RFC 9110, section 5.3: joined by a comma and optional white space.
  'repeated headers are joined into one line': serviceResponse({}, ({ headers }) => {
    for (const name of ['Link', 'X-Conformance-Repeated']) {
      if (headers.all(name).length > 1) headers.set(name, headers.all(name).join(','));
    }
  }),
  // D7: members added to `Vary`, and CORS headers.
  'members are added to Vary': serviceResponse({}, ({ headers }) => headers.add('Vary', 'Origin')),
  // D9: a UUID is our default.
  'request IDs are short numbers': () => {
    let count = 0;
    return {
      response(response, { isGateway }) {
        const before = isGateway ? response.headers.get('X-Request-Id') : undefined;
        if (before === undefined) return;
        const requestId = String(++count);
        response.headers.set('X-Request-Id', requestId);
        if (response.json?.requestId === before) changeJson({ requestId })(response);
      },
    };
  },
  // Error body: `message` is a text.
  'errors have other messages': gatewayError({}, changeJson({ message: '服务不可用' })),
  // D6: an error body has three fields; more are not forbidden.
  'errors have additional fields': gatewayError({}, changeJson({ details: [], origin: null })),
  // D15: 4xx; which one is our default (D6).
  'invalid credentials get 403': refusedWith(403, /^(\w+_CREDENTIALS|ACCESS_TOKEN_\w+)$/),
  // D6: 4xx; 400 INVALID_REQUEST is our default.
  'names outside the pattern are rejected with 404': refusedWith(404, /^INVALID_REQUEST$/),
  // D11: preflights are our default.
  'an OPTIONS is rejected with 405': refusing(405, ({ method }) => method === 'OPTIONS'),
  // D11: the headers that a preflight allows are our default.
  'a preflight allows any header': {
    response({ headers }, { isGateway, method }) {
      if (isGateway && method === 'OPTIONS') headers.set('Access-Control-Allow-Headers', '*');
    },
  },
  // D11: methods other than GET and POST are our default.
  'other methods are rejected with 501': refusing(
    501,
    ({ method }) => !['GET', 'POST', 'OPTIONS'].includes(method),
  ),
  // D13: other deployments may reject types other than JSON.
  'a POST of a type other than JSON is rejected with 415': refusing(
    415,
    (request) => request.method === 'POST' && request.body.length > 0 && !isJson(request),
  ),
  // cloudrun-post: the payload is an `application/json` body.
  'a POST without a body is rejected': refusing(
    400,
    (request) => request.method === 'POST' && request.body.length === 0 && !hasChunks(request),
  ),
  // D13: a POST without a body is forwarded.
  'a POST without a body becomes one of no bytes': {
    request({ isGateway, method, body, headers }) {
      if (isGateway && method === 'POST' && body.length === 0) headers.set('Content-Length', '0');
    },
  },
  // RFC 9110, section 15.5.12: a server may require the length of a body.
  'a body without a length is rejected with 411': refusing(411, hasChunks),
  // RFC 9110, section 7.6.3; RFC 7239.
  'headers of intermediaries are added to requests': {
    request({ isGateway, headers }) {
      if (!isGateway) return;
      headers.add('Via', '1.1 edge');
      headers.add('X-Forwarded-For', '192.0.2.1');
      headers.add('Forwarded', 'for=192.0.2.1;proto=https');
    },
  },
  // RFC 6585, section 4: any server on the way may limit the rate.
  "an intermediary's 429 replaces that of the service": {
    request: ({ query }) =>
      query.includes('status=429&') ? new MutatedResponse(429, {}, 'Slow down.') : undefined,
  },
  // D14: a check that misses the time between events once, on a busy machine, tries again.
  'the first three event streams arrive at once': () => {
    let count = 0;
    return {
      async *messages(all, { isHandshake }) {
        count += isHandshake ? 0 : 1;
        yield* isHandshake || count > 3 ? all : await Array.fromAsync(all);
      },
    };
  },
  // RFC 6455, section 5.4: an intermediary may change fragmentation.
  'WebSocket messages are fragmented': frames((frame) => {
    const { opcode, data } = frame;
    if (opcode > 7 || data.length < 2) return [frame];
    const middle = data.length >> 1;
    return [
      { ...frame, data: data.subarray(0, middle), fin: false },
      { ...frame, opcode: 0, data: data.subarray(middle) },
    ];
  }),
  // RFC 6455, section 5.5.3: a pong may be sent unsolicited, as a heartbeat.
  'a heartbeat precedes each pong': frames((frame) => {
    const { from, opcode } = frame;
    const isPong = from === 'service' && opcode === PONG;
    return isPong ? [{ ...frame, data: Buffer.from('heartbeat') }, frame] : [frame];
  }),
  // D10: the header is our default.
  'X-Svc-Upstream-Status-Code is missing': serviceResponse(
    {},
    removeHeader('X-Svc-Upstream-Status-Code'),
  ),
};
