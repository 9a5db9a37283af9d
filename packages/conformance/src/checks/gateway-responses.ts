import { gzipSync } from 'node:zlib';
import { SkipError } from '../errors.ts';
import { EVENT_STREAM, type Exchange, type HeaderList, readAll } from '../http/exchange.ts';
import { type FixtureRequest, readEcho } from '../http/fixture-protocol.ts';
import { type CallContext, oncePerRun } from '../run/call-context.ts';
import { type Check, type CheckContext, defineCalls, defineCheck } from '../run/check.ts';
import { closeSocket, type GatewayCall } from '../run/clients.ts';
import { alternate, EVERY_BYTE, GET, openSocket, POST } from './calls.ts';

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
const STATUS_HEADERS: HeaderList = [
  ['WWW-Authenticate', 'Basic realm="of the service"'],
  ['Allow', 'GET, PUT'],
  ['Retry-After', '7'],
];

const withDisposition = (...values: string[]): HeaderList =>
  values.map((value) => ['Content-Disposition', value]);
const INLINE = withDisposition('inline');
const INLINE_FILE = withDisposition('INLINE; filename="a, attachment; b"');
const ATTACHMENT = withDisposition('attachment');
const ATTACHMENT_OR_INLINE = withDisposition('attachment; filename="a"', 'inline');
const GZIP: HeaderList = [['Content-Encoding', 'gzip']];
const UNKNOWN_CODING: HeaderList = [['Content-Encoding', 'x-conformance']];

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
const TEXT = 'text/plain';
const BINARY = 'application/octet-stream';

const NO_CONTENT: FixtureRequest = {};
const EMPTY_PAGE: FixtureRequest = { type: 'text/html', body: '' };
const BYTES: FixtureRequest = { type: BINARY, body: 'of the service' };
const ERROR_LIKE: FixtureRequest = {
  type: JSON_TYPE,
  body: JSON.stringify({ code: 'SERVICE_TIMEOUT', message: 'of the service' }),
};

const withStatuses = (content: FixtureRequest, ...statuses: number[]): FixtureRequest[] =>
  statuses.map((status) => {
    const location = status === 302 ? 'http://name.example/a b?c=%2F#d' : '/moved?a=%2F';
    const headers = [...HEADERS.slice(0, 6), ...ALL_REMOVED, ...STATUS_HEADERS];
    return { ...content, status, headers: [...headers, ['Location', location]] };
  });

const FOR_BOTH: FixtureRequest[] = [
  { type: JSON_TYPE, body: OBJECT, chunked: true, headers: [...HEADERS, LONG] },
  { type: `${JSON_TYPE}; charset=utf-8`, body: '{}', headers: INLINE },
  { type: TEXT, body: ' two\r\nlines\n\n中文é🙂\0', headers: ATTACHMENT },
  { type: 'text/html', body: '<html><body>a&&b</body></html>', headers: INLINE },
  { type: 'image/png', size: 65_537, headers: INLINE_FILE },
  { type: BINARY, body: EVERY_BYTE, headers: ATTACHMENT_OR_INLINE },
  { type: TEXT, body: gzipSync(SHRINKING), headers: [...GZIP, ...HEADERS] },
  { body: EVERY_BYTE },
  { type: EVENT_STREAM, body: EVENTS, trickle: 3, headers: [...ALL_REMOVED, ...INLINE] },
  { type: `${EVENT_STREAM}; charset=utf-8`, body: EVENTS, chunked: true },
  ...withStatuses(NO_CONTENT, 204, 304),
  ...withStatuses(EMPTY_PAGE, 303, 504),
  ...withStatuses(BYTES, 301, 307),
  ...withStatuses(ERROR_LIKE, 302, 308, 401, 404, 500),
];

const FOR_GET: FixtureRequest[] = [
  ...FOR_BOTH,
  { type: BINARY, size: 1_048_577, chunked: true },
  { type: BINARY, body: '' },
  { type: 'text/plain; charset=utf-16', body: Buffer.from('\uFEFFa\r\nb', 'utf16le') },
  ...withStatuses(EMPTY_PAGE, 201, 405, 429, 501),
  ...withStatuses(BYTES, 400, 409, 499),
  ...withStatuses(ERROR_LIKE, 299, 422, 503),
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
  { type: TEXT, body: 'not compressed', headers: UNKNOWN_CODING },
  ...withStatuses(EMPTY_PAGE, 408),
  ...withStatuses(BYTES, 403, 451, 502),
  ...withStatuses(ERROR_LIKE, 206, 413, 416, 599),
];

const ACCEPTING_GZIP = { ...GET, headers: { 'Accept-Encoding': 'gzip, br' } };

const REQUESTS: (readonly [FixtureRequest, GatewayCall])[] = [
  ...FOR_GET.map((request) => [request, GET] as const),
  ...FOR_POST.map((request) => [request, POST] as const),
  // A caller that accepts gzip must not receive anything that the service did not send.
  [{ type: TEXT, body: SHRINKING }, ACCEPTING_GZIP],
];

/** Requests every kind of response, once in a run, and returns each with the status that the service sent. */
const requestResponses = oncePerRun(async (t) => {
  const responses: { sent: number; exchange: Exchange }[] = [];
  for (const [{ status: sent = 200, ...request }, call] of REQUESTS) {
    // A browser accepts nothing else; a client that posts JSON often accepts both.
    const Accept = call.method === 'GET' ? EVENT_STREAM : `${JSON_TYPE}, ${EVENT_STREAM}`;
    const exchange = await t.gateway.call({
      ...call,
      headers: {
        ...Object(call.headers),
        ...(request.type?.startsWith(EVENT_STREAM) && { Accept }),
      },
      path: t.fixture.path('/respond', { status: sent, ...request }),
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

/** Makes a handshake that the service accepts, and returns the response to one that it rejects with 409. */
const requestHandshakes = oncePerRun(async (t): Promise<Exchange> => {
  const headers = [...HEADERS, ...REMOVED, ...INLINE];
  const { socket } = await t.gateway.upgrade({ path: t.fixture.path('/socket', { headers }) });
  await closeSocket(socket);
  return t.gateway.upgrade({ path: t.fixture.path('/socket', { headers, refuse: 409 }) });
});

function callRejected(t: CallContext): Promise<void> {
  const service = t.run.uniqueName();
  const { forbiddenService } = t.run.settings;
  const calls: GatewayCall[] = [
    // As a browser accepts them: the body is JSON all the same.
    { service, path: '/a/b?c=d', headers: { Accept: 'text/html, */*;q=0.8' } },
    { ...POST, service },
    { ...POST, service, credentials: 'none' },
    { service, credentials: 'none' },
    { service, credentials: { Authorization: 'Bearer wrong' } },
    { service, credentials: { Authorization: 'wrong' } },
    { service: 'a' },
    ...(forbiddenService === undefined ? [] : [{ service: forbiddenService }]),
  ];
  return t.onOneConnection(async ({ gateway }) => {
    for (const call of calls) await gateway.call(call);
  });
}

/** More than any period at which a gateway could plausibly repeat an ID. */
const CALLS_AT_ONCE = 16;

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

const readId = ({ received }: Exchange) => readAll(received.headers, 'x-request-id').join().trim();

async function callHandshakes(t: CallContext): Promise<void> {
  await openSocket(t, {}, async () => {});
  const path = t.fixture.path('/socket');
  await closeSocket((await t.gateway.upgrade({ path, credentials: 'none' })).socket);
}

/** A response without an ID violates GW-REQUEST-ID. */
function expectNewIds(t: CheckContext, exchanges: readonly Exchange[]): void {
  const seen = new Set<string>();
  for (const exchange of exchanges) {
    const id = readId(exchange);
    const message = `each response must have its own X-Request-Id, but two have ${id}`;
    if (id !== '') t.expect(!seen.has(id), message, exchange);
    seen.add(id);
  }
  if (seen.size === 1 && seen.has('')) throw new SkipError('the responses have no X-Request-Id');
}

/** Makes calls to services that cannot be called, and expects a response from the gateway itself. */
async function expectErrors(
  t: CheckContext,
  calls: readonly GatewayCall[],
  status: number,
  code: string,
): Promise<void> {
  for (const call of alternate(calls)) {
    const exchange = await t.gateway.call(call);
    t.expectEqual('the status', exchange.received.status, status, exchange);
    t.expectEqual('the code', exchange.received.fields.code, code, exchange);
  }
}

// The sentences for which each call set makes calls; their invariants are in `invariants/gateway.ts`.

const HANDSHAKE_SENTENCES = ['GW-HEADERS', 'GW-HOP-BY-HOP', 'GW-REQUEST-ID-NEW/2'] as const;

const RESPONSE_SENTENCES = [
  ...HANDSHAKE_SENTENCES,
  'GW-BODY',
  'GW-SSE',
  'GW-C1',
  'GW-C2/1',
  'GW-C2/2',
  'GW-C3/1',
  'GW-DISPOSITION-INLINE',
  'GW-REQUEST-ID/1',
] as const;

const REJECTION_SENTENCES = ['GW-REQUEST-ID/1', 'GW-ERROR/1', 'GW-ERROR/2'] as const;

export const gatewayResponses: readonly Check[] = [
  ...defineCalls(RESPONSE_SENTENCES, ['fixture'], requestResponses),
  ...defineCalls(HANDSHAKE_SENTENCES, ['fixture', 'alsoWebSocket'], requestHandshakes),
  ...defineCalls(['GW-C3/2'], ['fixture', 'webSocket'], requestHandshakes),
  ...defineCalls(['GW-REQUEST-ID/2'], ['fixture', 'webSocket'], callHandshakes),
  ...defineCalls(REJECTION_SENTENCES, [], callRejected),
  defineCheck('GW-STATUS', ['fixture'], async (t) => {
    for (const { sent, exchange } of await requestResponses(t)) {
      const what = `${exchange.sent.method} /respond: the status`;
      t.expectEqual(what, exchange.received.status, sent, exchange);
    }
  }),
  defineCheck('GW-STATUS', ['fixture', 'alsoWebSocket'], async (t) => {
    const rejected = await requestHandshakes(t);
    const what = 'a handshake that the service rejects: the status';
    t.expectEqual(what, rejected.received.status, 409, rejected);
  }),
  defineCheck('GW-REQUEST-ID/3', [], async (t) => {
    const calls = [
      { method: 'OPTIONS', path: '/a/b?c=d' },
      { method: 'OPTIONS', headers: PREFLIGHT, credentials: 'none' },
      { method: 'OPTIONS', headers: PREFLIGHT, service: t.run.uniqueName() },
      { method: 'HEAD', path: '/a' },
      { method: 'HEAD', credentials: 'none' },
      { method: 'PUT', path: '/a', body: '{}' },
      { method: 'DELETE' },
    ] as const;
    for (const call of calls) {
      const exchange = await t.gateway.call(call);
      const message = `the response to ${call.method} must have an X-Request-Id`;
      t.expect(readId(exchange) !== '', message, exchange);
    }
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture'], async (t) => {
    const sentId = t.run.uniqueName();
    // What a caller sends must not make two calls share one.
    const headers = { 'X-Request-Id': sentId, 'X-Correlation-Id': sentId };
    const kinds: GatewayCall[] = [
      { headers },
      POST,
      { path: t.fixture.path('/respond', { status: 404 }) },
      { service: sentId, headers },
      { service: sentId, credentials: 'none' },
    ];
    const calls = Array.from({ length: CALLS_AT_ONCE }, (_, index) => kinds[index % kinds.length]);
    expectNewIds(t, await Promise.all(calls.map((call) => t.gateway.call(call))));
  }),
  defineCheck('GW-REQUEST-ID-NEW/1', ['fixture', 'alsoWebSocket'], async (t) => {
    const open = () => openSocket(t, {}, async (_, upgrade) => upgrade);
    expectNewIds(t, [await t.gateway.call(POST), await open(), await open()]);
  }),
  defineCheck('GW-ERROR-FORBIDDEN', ['forbiddenService'], (t) => {
    const { forbiddenService: service = '' } = t.run.settings;
    return expectErrors(t, [{ service, path: '/a/b?c=d' }, { service }], 403, 'SERVICE_FORBIDDEN');
  }),
  defineCheck('GW-ERROR-NOT-FOUND', [], (t) => {
    const service = t.run.uniqueName();
    // Begins like a service that exists.
    const longer = `${t.run.settings.service.slice(0, 59 - service.length)}-${service}`;
    const calls = [{ service }, { service, path: '/a/b?c=d' }, { service: longer }];
    return expectErrors(t, calls, 404, 'SERVICE_NOT_FOUND');
  }),
];
