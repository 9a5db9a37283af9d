import {
  changeJson,
  gatewayError,
  removeHeader,
  serviceResponse,
  setHeader,
  toRefusal,
} from '../mutants/support/gateway.ts';
import type { Headers, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { allow, escapeText, oneOf, prettyText, type Variant } from './variant.ts';

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

/** Characters that RFC 3986 does not allow in a path or a query. */
const NO_URI = /%(?![0-9a-f]{2})|[[\]"<>\\^`{|}]/i;

/** Permitted variations in gateways. */
export const gateway: readonly Variant[] = [
  ...oneOf(
    'disposition',
    'RFC 6266, section 4.1: types are case-insensitive and can have parameters',
    {
      'Content-Disposition is ATTACHMENT with a file name': disposed(
        "ATTACHMENT ; filename*=UTF-8''x",
      ),
    },
  ),
  ...oneOf('disposition', 'RFC 6266, section 4.1: a quoted string is not a type', {
    'the file name of an attachment reads like another type': disposed(
      'attachment; filename="inline, form-data; a\\"b.txt"',
    ),
  }),
  ...oneOf('disposition', 'D8: exactly one header is our default', {
    'there are two attachments': disposed('attachment', 'Attachment; filename="a"'),
  }),
  ...allow('D8: that it is kept is our default', {
    'an attachment from the service loses its file name': serviceResponse(({ headers }) => {
      if (headers.get('Content-Disposition')?.startsWith('attachment;'))
        headers.set('Content-Disposition', 'attachment');
    }),
  }),
  ...oneOf(
    'disposition of errors',
    'C1, C2: about responses of a hosted service; D8: of its own errors it is our default',
    {
      'gateway errors have no Content-Disposition': gatewayError(
        removeHeader('Content-Disposition'),
      ),
      'every gateway error has a Content-Disposition': gatewayError(({ headers }) =>
        headers.set('Content-Disposition', 'attachment; filename="error.json"'),
      ),
    },
  ),
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
  ...allow('D8: that 204 and 304 carry it is our default', {
    'responses without content have no Content-Disposition': serviceResponse(
      { status: [204, 304] },
      removeHeader('Content-Disposition'),
    ),
  }),
  ...allow('C1; D8: the exemption independent of Accept is our default', {
    'an event stream that was not requested is an attachment': serviceResponse(
      ({ headers }, { method, headers: asked }) => {
        const isStream = headers.get('Content-Type')?.startsWith('text/event-stream');
        const isAsked = asked.get('Accept')?.toLowerCase().includes('text/event-stream');
        if (isStream && !isAsked && method === 'GET')
          headers.set('Content-Disposition', 'attachment');
      },
    ),
  }),
  ...allow('RFC 9110, section 5.1: a proxy can block fields; nginx does by default', {
    'request headers with names other than letters, digits and hyphens are dropped': {
      streamsRequests: true,
      request({ isGateway, headers }) {
        if (isGateway) headers.list = headers.list.filter(([name]) => !/[^\w-]|_/.test(name));
      },
      upgrade({ headers }) {
        headers.list = headers.list.filter(([name]) => !/[^\w-]|_/.test(name));
      },
    },
  }),
  ...oneOf('request IDs', 'D9: a UUID is our default', {
    'request IDs are ULIDs': withIds(
      (count) => `01J${count.toString(32).padStart(23, '0').toUpperCase()}`,
    ),
    'request IDs are short numbers': withIds(String),
    'request IDs are long, with special characters': withIds(
      (count) => `Root=1-67891233-abcdef;Self=${count}/${'x'.repeat(150)}==`,
    ),
  }),
  ...allow('Error body: its three fields are named, others are not forbidden; responses are open', {
    'errors have additional fields, in another order': gatewayError((response) => {
      const { code, message, requestId } = response.json ?? {};
      if (code !== undefined)
        response.json = {
          status: response.status,
          details: [{ '@type': 'x' }],
          help: null,
          requestId,
          message,
          code,
        };
    }),
  }),
  ...oneOf('messages', 'Error body: `message` is a text', {
    'errors have other messages': gatewayError(changeJson({ message: '服务不可用' })),
  }),
  ...oneOf('messages', 'Error body: `message` is a string', {
    'errors have an empty message': gatewayError(changeJson({ message: '' })),
  }),
  ...oneOf('refusals', 'D15: 4xx; which one is our default (D6)', {
    'invalid credentials get 403': refusedWith(403, 'AccessDenied'),
    'invalid credentials get 400': refusedWith(400, 'BAD_TOKEN'),
    'invalid credentials get 404 and another code': refusedWith(404, 'NO_SUCH_ENTRY'),
  }),
  ...allow('RFC 9110, section 11.1: schemes are case-insensitive', {
    'the scheme in a 401 is lower case': gatewayError(
      { status: 401 },
      setHeader('WWW-Authenticate', 'bearer realm="x", error="invalid_token"'),
    ),
  }),
  ...oneOf('names of services', 'D6: 4xx; 400 INVALID_REQUEST is our default', {
    'names outside the pattern are rejected with 404': namesRefusedWith(404, 'INVALID_PATH'),
    'names outside the pattern are rejected with 422': namesRefusedWith(422, 'BadName'),
    'names outside the pattern are names of missing services': namesRefusedWith(
      404,
      'SERVICE_NOT_FOUND',
    ),
  }),
  ...oneOf('OPTIONS', 'D11: preflights are our default', {
    'an OPTIONS gets 200 and a body': preflights(() => {
      const response = toRefusal(200, 'OK');
      response.json = { methods: ['GET', 'POST'] };
      return response;
    }),
    'an OPTIONS is rejected with 405': preflights(() => toRefusal(405, 'METHOD_NOT_ALLOWED')),
    'an OPTIONS needs credentials': preflights(() => toRefusal(401, 'MISSING_CREDENTIALS')),
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
  ...allow('Limits: request and response size limits are not specified', {
    'a POST of more than 64 kB is rejected with 413': refusingPosts(
      ({ body }) => body.length > 64_000,
      413,
      'TOO_LARGE',
    ),
  }),
  ...allow('RFC 9112, section 3: an invalid request-line should get 400', {
    'a target that is not a URI is rejected with 400': {
      request: ({ isGateway, target }) =>
        isGateway && NO_URI.test(target) ? toRefusal(400, 'BAD_TARGET') : undefined,
      upgrade: ({ target }) => (NO_URI.test(target) ? toRefusal(400, 'BAD_TARGET') : undefined),
    },
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
  ...allow('RFC 9110, section 5.1: field names are case-insensitive', {
    'the names of request headers are lower case': {
      streamsRequests: true,
      request({ headers }) {
        headers.list = headers.list.map(([name, value]) => [name.toLowerCase(), value]);
      },
    },
  }),
  ...allow('D7; RFC 9110, section 8.3.1: both mean the same', {
    'the content type of a request is spelled differently': {
      streamsRequests: true,
      request({ isGateway, headers }) {
        const isSigned = headers.get('Authorization')?.startsWith('TC3') ?? false;
        const type = headers.get('Content-Type');
        if (isGateway && !isSigned && type && !/boundary/.test(type))
          headers.set(
            'Content-Type',
            type
              .replace(/^[^;]+/, (one) => one.toLowerCase())
              .replaceAll(/;\s*/g, '; ')
              .replaceAll('"', ''),
          );
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
      message(given) {
        if (given.data.length < 2) return given;
        const middle = given.data.length >> 1;
        return [
          { ...given, data: given.data.subarray(0, middle), fin: false },
          { ...given, data: given.data.subarray(middle), fin: true },
        ];
      },
    },
  }),
  ...allow('RFC 6455, section 4.1: both values are case-insensitive', {
    'the headers of the 101 are spelled differently': {
      upgraded({ headers }) {
        headers.set('Connection', 'keep-alive, upgrade');
        headers.set('Upgrade', 'WebSocket');
      },
    },
  }),
  ...allow(
    'RFC 6455, section 10.2: an unexpected origin is rejected; D14: checking it is our default',
    {
      'a WebSocket of another origin is rejected with 403': {
        upgrade: ({ headers }) =>
          headers.get('Origin') === undefined ? undefined : toRefusal(403, 'ORIGIN'),
      },
    },
  ),
  ...oneOf('text of errors', 'RFC 8259, section 2: white space is allowed around every token', {
    'the text of errors has line breaks': gatewayError(prettyText),
  }),
  ...oneOf('text of errors', 'RFC 8259, section 7: any character may be escaped', {
    'the text of errors has escapes': gatewayError(escapeText),
  }),
  ...allow('D10: the header is our default', {
    'X-Svc-Upstream-Status-Code is missing': serviceResponse(
      removeHeader('X-Svc-Upstream-Status-Code'),
    ),
  }),
];
