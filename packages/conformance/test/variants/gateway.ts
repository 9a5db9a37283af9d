import {
  changeJson,
  gatewayError,
  removeHeader,
  serviceResponse,
  setHeader,
  toRefusal,
} from '../mutants/support/gateway.ts';
import type { Headers, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { allow, oneOf, type Variant } from './variant.ts';

/** Changes the gateway's error bodies. */
const ofErrors = (
  change: (error: Json, response: MutatedResponse, request: MutatedRequest) => void,
) =>
  gatewayError((response, request) => {
    changeJson((json) => change(json, response, request))(response);
  });

/** Uses another format for request IDs, including those in error bodies. */
const withIds = (toId: (count: number) => string) => () => {
  let count = 0;
  const change = (headers: Headers) => {
    const id = toId(++count);
    const before = headers.get('X-Request-Id');
    if (before === undefined) return undefined;
    headers.set('X-Request-Id', id);
    return { before, id };
  };
  return {
    response(response: MutatedResponse, { isGateway }: MutatedRequest) {
      const ids = isGateway ? change(response.headers) : undefined;
      if (ids && response.json?.requestId === ids.before) {
        changeJson({ requestId: ids.id })(response);
      }
    },
    upgraded: ({ headers }: MutatedResponse) => void change(headers),
  };
};

/** Replaces the gateway's Content-Disposition. */
const disposed = (...values: string[]) =>
  serviceResponse(({ headers }) => {
    if (headers.get('Content-Disposition') !== 'attachment') return;
    headers.remove('Content-Disposition');
    for (const value of values) headers.add('Content-Disposition', value);
  });

const CREDENTIALS = /^(MISSING_CREDENTIALS|INVALID_CREDENTIALS|ACCESS_TOKEN_\w+)$/;
const refusedWith = (status: number, code: string) =>
  ofErrors((error, response) => {
    if (!CREDENTIALS.test(error.code)) return;
    response.status = status;
    error.code = code;
  });

const namesRefusedWith = (status: number, code: string) =>
  ofErrors((error, response) => {
    if (error.code !== 'INVALID_REQUEST') return;
    response.status = status;
    error.code = code;
  });

const preflights = (toResponse: () => MutatedResponse) => ({
  request: ({ isGateway, method }: MutatedRequest) =>
    isGateway && method === 'OPTIONS' ? toResponse() : undefined,
});

/** Rejects POSTs to hosted services before anything else. */
const refusingPosts = (
  isRefused: (request: MutatedRequest) => boolean,
  status: number,
  code: string,
) => ({
  request: (request: MutatedRequest) =>
    request.isGateway && request.method === 'POST' && isRefused(request)
      ? toRefusal(status, code)
      : undefined,
});

/** Permitted variations in gateways. */
export const gateway: readonly Variant[] = [
  ...oneOf('disposition', 'D8: exactly one header is our default', {
    'there are two attachments': disposed('attachment', 'Attachment; filename="a"'),
  }),
  ...allow('RFC 9110, section 8.3: a sender that knows the type should say it', {
    'a response without a type gets application/octet-stream': serviceResponse(
      { method: 'GET', status: 200, contentType: '', when: ({ body }) => body.length > 0 },
      setHeader('Content-Type', 'application/octet-stream'),
    ),
  }),
  ...allow('RFC 9110, section 5.3: joined by a comma and optional white space', {
    'repeated headers are joined into one line': serviceResponse(({ headers }) => {
      for (const name of ['Link', 'X-Conformance-Repeated']) {
        if (headers.all(name).length > 1) headers.set(name, headers.all(name).join(','));
      }
    }),
  }),
  ...oneOf('request IDs', 'D9: a UUID is our default', {
    'request IDs are short numbers': withIds(String),
  }),
  ...oneOf('messages', 'Error body: `message` is a text', {
    'errors have other messages': gatewayError(changeJson({ message: '服务不可用' })),
  }),
  ...oneOf('refusals', 'D15: 4xx; which one is our default (D6)', {
    'invalid credentials get 403': refusedWith(403, 'AccessDenied'),
  }),
  ...oneOf('names of services', 'D6: 4xx; 400 INVALID_REQUEST is our default', {
    'names outside the pattern are rejected with 404': namesRefusedWith(404, 'INVALID_PATH'),
  }),
  ...oneOf('OPTIONS', 'D11: preflights are our default', {
    'an OPTIONS is rejected with 405': preflights(() => toRefusal(405, 'METHOD_NOT_ALLOWED')),
  }),
  ...oneOf('OPTIONS', 'D11: the headers that a preflight allows are our default', {
    'a preflight allows any header': {
      response({ headers }, { isGateway, method }) {
        if (isGateway && method === 'OPTIONS') headers.set('Access-Control-Allow-Headers', '*');
      },
    },
  }),
  ...allow('D11: methods other than GET and POST are our default', {
    'other methods are rejected with 501': {
      request: ({ isGateway, method }) =>
        isGateway && !['GET', 'POST', 'OPTIONS'].includes(method)
          ? toRefusal(501, 'NOT_IMPLEMENTED')
          : undefined,
    },
  }),
  ...allow('D13: rejecting other types is allowed', {
    'a POST of a type other than JSON is rejected with 415': refusingPosts(
      ({ headers, body }) =>
        body.length > 0 && !/^application\/json/i.test(headers.get('Content-Type') ?? ''),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ),
  }),
  ...allow('cloudrun-post: the payload is an `application/json` body', {
    'a POST without a body is rejected with 400': refusingPosts(
      ({ body, headers }) => body.length === 0 && headers.get('Transfer-Encoding') === undefined,
      400,
      'BODY_REQUIRED',
    ),
  }),
  ...allow('RFC 9110, section 7.6.3; RFC 7239', {
    'headers of intermediaries are added to requests': {
      streamsRequests: true,
      request({ isGateway, headers }) {
        if (!isGateway) return;
        headers.add('Via', '1.1 edge');
        headers.add('X-Forwarded-For', '192.0.2.1');
        headers.add('Forwarded', 'for=192.0.2.1;proto=https');
      },
    },
  }),
  ...allow('RFC 9110, section 10.2.3: seconds or a date; Limits: rate limits are not specified', {
    'every 60th call gets 429 and a date in Retry-After': () => {
      let count = 0;
      return {
        request({ isGateway }) {
          count += 1;
          if (!isGateway || count % 60 !== 0) return;
          const response = toRefusal(429, 'EXCEED_RATELIMIT');
          response.headers.set('Retry-After', new Date(Date.now() + 500).toUTCString());
          return response;
        },
      };
    },
  }),
  ...allow('RFC 6455, section 5.4: an intermediary may change fragmentation', {
    'WebSocket messages are fragmented': {
      frames(frame) {
        const { opcode, data } = frame;
        if (opcode > 7 || data.length < 2) return [frame];
        const middle = data.length >> 1;
        return [
          { ...frame, data: data.subarray(0, middle), fin: false },
          { ...frame, opcode: 0, data: data.subarray(middle) },
        ];
      },
    },
  }),
  ...allow('D10: the header is our default', {
    'X-Svc-Upstream-Status-Code is missing': serviceResponse(
      removeHeader('X-Svc-Upstream-Status-Code'),
    ),
  }),
];
