import { gzipSync } from 'node:zlib';
import {
  type CallContext,
  type Check,
  defineCheck,
  defineInvariants,
  once,
} from '../context/check-context.ts';
import { closeSocket, type GatewayCall } from '../context/gateway-client.ts';
import { type FixtureRequest, readEcho } from '../fixture-protocol.ts';
import { type Exchange, type HeaderList, readAll } from '../http/exchange.ts';
import { STREAM, toMediaType } from '../http/media-type.ts';
import { claimEach, claimSameHeaders } from '../invariants/claims.ts';
import type { Invariant } from '../invariants/invariant.ts';
import { SkipError } from '../not-run.ts';
import { cite } from '../redact.ts';
import { EVERY_BYTE, GET, POST } from './gateway-calls.ts';

const HEADERS: HeaderList = [
  ['Set-Cookie', 'a=1; Path=/; HttpOnly'],
  ['Set-Cookie', 'b=2; Expires=Wed, 21 Oct 2065 07:28:00 GMT'],
  ['set-cookie', 'a=3'],
  ['ETag', '"a,b"'],
  ['Last-Modified', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Cache-Control', 'private, max-age=0'],
  ['Vary', 'Accept, X-Other'],
  ['Content-Location', '/a%2Fb?c=d'],
  ['Link', '</a>; rel="next"'],
  ['WWW-Authenticate', 'Basic realm="of the service"'],
  ['Content-Security-Policy', "default-src 'none'"],
  ['X-Conformance.Unusual~name!', '  "Quoted, text"; A=b'],
  ['x_under_score', 'kept'],
  ['X-Conformance-Empty', ''],
  ['X-Conformance-Repeated', 'one'],
  ['X-Conformance-Repeated', 'two, three'],
];

const LONG: HeaderList[number] = ['X-Conformance-Long', 'x'.repeat(2100)];

/** Headers that the gateway removes, with values that no gateway would choose itself. */
const REMOVED: HeaderList = [
  ['X-Request-Id', 'of-the-service'],
  ['Keep-Alive', 'timeout=977, max=977'],
  ['Proxy-Connection', 'x-conformance'],
];

/** The same, with names of hop-by-hop headers that a 101 must not have, and names listed in `Connection`. */
const ALL_REMOVED: HeaderList = [
  ...REMOVED,
  ['X-REQUEST-ID', 'of-the-service-2'],
  ['TE', 'x-conformance'],
  ['Upgrade', 'x-conformance/9'],
  ['Connection', 'close'],
  ['connection', 'X-Conformance-One ,x-conformance-TWO,  Proxy-Authenticate'],
  ['X-Conformance-One', 'x-conformance'],
  ['x-conformance-two', 'x-conformance'],
  ['Proxy-Authenticate', 'Basic realm="x-conformance"'],
];

/** What clients of some statuses look for. */
const OF_STATUSES: HeaderList = [
  ['WWW-Authenticate', 'Basic realm="of the service"'],
  ['Allow', 'GET, PUT'],
  ['Retry-After', '7'],
];

const disposed = (...values: string[]): HeaderList =>
  values.map((value) => ['Content-Disposition', value]);

const SHRINKING = 'a text that gets shorter '.repeat(80);

/** Any parser and serializer in between would change it, and it looks like a gateway's envelope. */
const OBJECT =
  ' { "b" : 1.0, "a":1e2,\n"b":"\\u0041/", "none":null, "中文🙂":[[{}]], "code":"OK", "data":{} }\r\n';

/** What an event stream may contain (HTML, section 9.2.6), with all kinds of line ends. */
const EVENTS = [
  '\uFEFF: a comment\nretry: 4711\nevent: named\nid: 1\ndata: one\ndata:two\ndata:\ndata:  three\n\n',
  ':\n\nevent:named\r\ndata:with CRLF\r\nid:2\r\n\r\n',
  'data\n\ndata:\n\nid:\ndata: after an empty ID\n\n',
  `unknown: field\ndata: {"text":"${'中文'.repeat(40)}🙂"}\n\n`,
  ': ping\n\ndata: a\rdata: b\r\rdata: {"last":true}\nid: 3\n\n',
  'event: incomplete\ndata: lost\n',
].join('');

const JSON_TYPE = 'application/json';
const BINARY = 'application/octet-stream';

const NO_CONTENT: FixtureRequest = {};
const EMPTY_PAGE: FixtureRequest = { type: 'text/html', body: '' };
const BYTES: FixtureRequest = { type: BINARY, body: 'of the service' };
const LIKE_AN_ERROR: FixtureRequest = {
  type: JSON_TYPE,
  body: JSON.stringify({ code: 'SERVICE_TIMEOUT', message: 'of the service' }),
};

/** Requests responses with the same content and several statuses. */
const withStatuses = (content: FixtureRequest, ...statuses: number[]): FixtureRequest[] =>
  statuses.map((status) => {
    const location = status === 302 ? 'http://name.example/a b?c=%2F#d' : '/moved?a=%2F';
    const headers = [...HEADERS.slice(0, 6), ...ALL_REMOVED, ...OF_STATUSES];
    return { ...content, status, headers: [...headers, ['Location', location]] };
  });

/** Responses to a GET and to a POST. */
const FOR_BOTH: FixtureRequest[] = [
  { type: JSON_TYPE, body: OBJECT, chunked: true, headers: [...HEADERS, LONG] },
  { type: `${JSON_TYPE}; charset=utf-8`, body: '{}', headers: disposed('inline') },
  { type: 'text/plain', body: ' two\r\nlines\n\n中文é🙂\0', headers: disposed('attachment') },
  { type: 'text/html', body: '<html><body>a&&b</body></html>', headers: disposed('inline') },
  { type: 'image/png', size: 65_537, headers: disposed('INLINE; filename="a, attachment; b"') },
  { type: BINARY, body: EVERY_BYTE, headers: disposed('attachment; filename="a"', 'inline') },
  {
    type: 'text/plain',
    body: gzipSync(SHRINKING),
    headers: [['Content-Encoding', 'gzip'], ...HEADERS],
  },
  { body: EVERY_BYTE },
  { type: STREAM, body: EVENTS, trickle: 3, headers: [...ALL_REMOVED, ...disposed('inline')] },
  { type: `${STREAM}; charset=utf-8`, body: EVENTS, chunked: true },
  ...withStatuses(NO_CONTENT, 204, 304),
  ...withStatuses(EMPTY_PAGE, 303, 504),
  ...withStatuses(BYTES, 301, 307),
  ...withStatuses(LIKE_AN_ERROR, 302, 308, 401, 404, 500),
];

const FOR_GET: FixtureRequest[] = [
  ...FOR_BOTH,
  { type: BINARY, size: 1_048_577, chunked: true },
  { type: BINARY, body: '' },
  { type: 'text/plain; charset=utf-16', body: Buffer.from('\uFEFFa\r\nb', 'utf16le') },
  ...withStatuses(EMPTY_PAGE, 201, 405, 429, 501),
  ...withStatuses(BYTES, 400, 409, 499),
  ...withStatuses(LIKE_AN_ERROR, 299, 422, 503),
];

/** Types of responses to a POST: text types, types that look like one, and others. */
const TYPES_FOR_POST = [
  'application/x-www-form-urlencoded; charset=utf-8',
  'TEXT/PLAIN ; charset="gb18030"',
  'Application/JSON;profile="image/png"',
  'text/html; charset=utf-8',
  'application/json-seq',
  'application/problem+json',
  'text/plain-not',
  'text/css',
  'application/xml',
  'audio/mpeg',
  'multipart/related; type="application/json"',
  'image/png; note=text/plain',
];

const FOR_POST: FixtureRequest[] = [
  ...FOR_BOTH,
  ...TYPES_FOR_POST.map((type) => ({ type, body: '{}' })),
  { type: 'video/mp4', size: 2000, trickle: 1 },
  { type: JSON_TYPE, body: '{"cut":' },
  { type: 'text/plain', body: 'not compressed', headers: [['Content-Encoding', 'x-conformance']] },
  ...withStatuses(EMPTY_PAGE, 408),
  ...withStatuses(BYTES, 403, 451, 502),
  ...withStatuses(LIKE_AN_ERROR, 206, 413, 416, 599),
];

const REQUESTS: (readonly [FixtureRequest, GatewayCall])[] = [
  ...FOR_GET.map((request) => [request, GET] as const),
  ...FOR_POST.map((request) => [request, POST] as const),
  // A caller that accepts gzip must not receive anything that the service did not send.
  [
    { type: 'text/plain', body: SHRINKING },
    { ...GET, headers: { 'Accept-Encoding': 'gzip, br' } },
  ],
];

/** Requests every kind of response, once in a run, and returns each with the status that the service sent. */
export const requestResponses = once('responses', async (t) => {
  const responses: { sent: number; exchange: Exchange }[] = [];
  for (const [{ status: sent = 200, ...request }, call] of REQUESTS) {
    // A browser accepts nothing else; a client that posts JSON often accepts both.
    const Accept = call.method === 'GET' ? STREAM : `${JSON_TYPE}, ${STREAM}`;
    const exchange = await t.gateway.call({
      ...call,
      headers: { ...Object(call.headers), ...(request.type?.startsWith(STREAM) && { Accept }) },
      path: t.fixture.respond({ status: sent, ...request }),
      keep429: sent === 429,
    });
    // A gateway that follows a redirect returns the response of the other path.
    const isRedirect = sent >= 300 && sent <= 399;
    if (readEcho(exchange) && !isRedirect) {
      throw new SkipError('the request did not reach the /respond path of the fixture service');
    }
    responses.push({ sent, exchange });
  }
  return responses;
});

/** Makes a handshake that the service accepts, and returns the response to one that it rejects with 409, if any. */
export const requestHandshakes = once('handshakes', async (t): Promise<Exchange | undefined> => {
  if (t.run.missing.webSocket) return undefined;
  const headers = [...HEADERS, ...REMOVED, ...disposed('inline')];
  const { socket } = await t.gateway.upgrade({ path: t.fixture.socket({ headers }) });
  await closeSocket(socket);
  return t.gateway.upgrade({ path: t.fixture.socket({ headers, refuse: 409 }) });
});

/** Makes the calls for what applies to handshakes, too. */
export async function requestAll(t: CallContext): Promise<void> {
  await requestResponses(t);
  await requestHandshakes(t);
}

/** Compares the body with what the fixture service sent, if the request says what that is. */
const sameBody: Invariant = ({ fixtureResponse, received }) => {
  const expected = fixtureResponse?.body?.();
  if (expected === undefined) return undefined;
  const actual = received.body;
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  const difference = at < 0 || at >= actual.length ? '' : `, which differ from offset ${at} on`;
  const message = `the caller must receive the ${expected.length} bytes that the service sent, but received ${actual.length} bytes${difference}`;
  return [[expected.equals(actual), message]];
};

const sameEvents: Invariant = (call) => {
  const { fixtureResponse, received } = call;
  const type = readAll(fixtureResponse?.headers ?? [], 'content-type').join();
  if (toMediaType(type) !== STREAM) return undefined;
  const message = `the content type must be ${STREAM}, not ${cite(received.mediaType)}`;
  return [[received.mediaType === STREAM, message], ...(sameBody(call) ?? [])];
};

/** Returns the names of hop-by-hop headers, which include those listed in `Connection`. */
function listHops(headers: HeaderList): string[] {
  const listed = readAll(headers, 'connection').join().toLowerCase().split(',');
  const names = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];
  return [...names, ...listed.map((name) => name.trim())];
}

const REPLACED = ['x-request-id', 'content-disposition'];

const sameHeaders: Invariant = ({ fixtureResponse, received }) => {
  const { headers = [] } = fixtureResponse ?? {};
  const names = [...listHops(headers), ...REPLACED];
  const forwarded = headers.filter(([name]) => !names.includes(name.toLowerCase()));
  return forwarded.length === 0 ? undefined : claimSameHeaders(forwarded, received.headers);
};

const noHops: Invariant = ({ fixtureResponse, received }) => {
  const { headers = [] } = fixtureResponse ?? {};
  const hops = listHops(headers);
  const sent = headers.filter(([name]) => hops.includes(name.toLowerCase()));
  return claimEach(sent, ([name, value]) => {
    const actual = readAll(received.headers, name).join(', ');
    // The gateway has a `Connection` header of its own, unrelated to the names that the service listed.
    const isConnection = name.toLowerCase() === 'connection';
    const isKept = isConnection ? /x-conformance/i.test(actual) : actual.includes(value.trim());
    return [!isKept, `the service's ${name} must not reach the caller, but it did: ${actual}`];
  });
};

export const gatewayResponses: readonly Check[] = [
  defineCheck('GW-STATUS', ['fixture'], async (t) => {
    for (const { sent, exchange } of await requestResponses(t)) {
      const what = `${exchange.sent.method} /respond: the status`;
      t.expectEqual(what, exchange.received.status, sent, exchange);
    }
    const rejected = await requestHandshakes(t);
    const what = 'a handshake that the service rejects: the status';
    if (rejected) t.expectEqual(what, rejected.received.status, 409, rejected);
  }),
  ...defineInvariants(['fixture'], requestResponses, { 'GW-BODY': sameBody, 'GW-SSE': sameEvents }),
  ...defineInvariants(['fixture'], requestAll, {
    'GW-HEADERS': sameHeaders,
    'GW-HOP-BY-HOP': noHops,
  }),
];
