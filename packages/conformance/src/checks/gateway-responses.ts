import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { ResponseOrder } from '../context/fixture-client.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Evidence, type HeaderList, type Received, readAll } from '../http/exchange.ts';
import { cite } from '../validation/cite.ts';
import { EVENTS } from './support/events.ts';
import {
  expectSameHeaders,
  gatewayMethods,
  jsonPost,
  openSocket,
  refuseHandshake,
  requestResponse,
} from './support/gateway.ts';

const OBJECTS = [
  {},
  {
    text: 'a',
    number: -1.5e3,
    yes: true,
    none: null,
    list: [1, [2], {}],
    object: { '': '中文🙂' },
  },
  { code: 'OK', message: 'not an error', requestId: 'from the service', data: {} },
  { statusCode: 500, body: '<p>&amp;</p>', headers: { 'Content-Type': 'text/html' } },
  { many: Array.from({ length: 60 }, (_, index) => ({ index })) },
];

const TEXTS = [
  ...['', 'hello', ' two\r\nlines\n\n', '{"not":"an object"}', '中文 é 🙂', '<b>&amp;</b>'],
];

/** Expects the caller to receive bodies with 200 and their type, with the same content. */
async function expectSame(
  t: CheckContext,
  call: GatewayCall,
  type: string,
  bodies: readonly string[],
  isSameContent: (received: Received, body: string) => boolean,
): Promise<void> {
  const orders = bodies.flatMap((body, index) => [
    { body, type, chunked: index % 2 === 0 },
    { body, type: `${type}; charset=utf-8`, chunked: index % 2 === 1 },
  ]);
  for (const order of orders) {
    const { received } = await requestResponse(t, order, call);
    const what = `${call.method} /respond ${order.body.slice(0, 60)}`;
    t.expectEqual(`${what}: the status`, received.status, 200);
    t.expectEqual(`${what}: the content type`, received.mediaType, type);
    const came = `but received ${cite(received.text)}`;
    const message = `${what}: the caller must receive what the service sent, ${came}`;
    t.expect(isSameContent(received, order.body), message);
  }
}

const expectObjects = (t: CheckContext, call: GatewayCall): Promise<void> =>
  expectSame(
    t,
    call,
    'application/json',
    OBJECTS.map((object) => JSON.stringify(object)),
    ({ json }, body) => isDeepStrictEqual(json, JSON.parse(body)),
  );

const expectTexts = (t: CheckContext, call: GatewayCall): Promise<void> =>
  expectSame(t, call, 'text/plain', TEXTS, ({ text }, body) => text === body);

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));

const GZIP = gzipSync('a text that gets shorter '.repeat(20));

const BODY_ORDERS: ResponseOrder[] = [
  { type: 'application/octet-stream', body: '' },
  { type: 'application/octet-stream', body: Buffer.of(0) },
  { type: 'application/octet-stream', body: EVERY_BYTE },
  { type: 'image/png', size: 65_537 },
  { type: 'image/png', size: 65_536 },
  { type: 'application/octet-stream', size: 1_048_577, chunked: true },
  { type: 'text/event-stream', body: EVENTS },
  { type: 'text/event-stream', size: 70_000 },
  { type: 'video/mp4', size: 2000, trickle: 1 },
  { body: EVERY_BYTE },
  { type: 'text/plain; charset=utf-16', body: Buffer.from('\uFEFFa\r\nb', 'utf16le') },
  { type: 'text/plain; charset=utf-8', body: '\uFEFFa\r\n\0b\n\xFF' },
  { type: 'text/plain', body: EVERY_BYTE, chunked: true },
  { type: 'text/html', body: '<html><body><script>a&&b</script></body></html>' },
  { type: 'application/json', body: ' { "b" : 1.0, "a":1e2,\n"b":"\\u0041/" }\r\n' },
  { type: 'application/json', body: '{"cut":' },
  { type: 'application/x-www-form-urlencoded', body: 'a=%2f&b=+' },
  { type: 'text/plain', body: GZIP, headers: [['Content-Encoding', 'gzip']] },
  { type: 'application/gzip', body: GZIP },
  { status: 307, type: 'text/html', body: '<a href="/a">moved</a>' },
  { status: 404, type: 'text/html', body: '<h1>of the service</h1>' },
  { status: 500, type: 'application/json', body: '{"code":1}' },
  { status: 503, type: 'application/octet-stream', body: EVERY_BYTE },
];

async function expectBody(t: CheckContext, call: GatewayCall, order: ResponseOrder): Promise<void> {
  const { received } = await requestResponse(t, order, call);
  const { body } = received;
  assertStatus(t, order, received);
  const wanted = toBytes(order);
  const at = wanted.findIndex((byte, index) => byte !== body[index]);
  const difference =
    at < 0 || at >= body.length ? '' : `, with the first difference at offset ${at}`;
  const what = `${call.method} /respond ${order.type ?? 'without a type'}`;
  const message = `${what}: the caller must receive the ${wanted.length} bytes that the service sent, but received ${body.length} bytes${difference}`;
  t.expect(wanted.equals(body), message);
}

/** GW-STATUS covers another status than that of the service. */
function assertStatus(t: CheckContext, { status = 200 }: ResponseOrder, received: Received): void {
  const came = `arrived as ${received.status}`;
  t.reach(received.status === status, `a ${status} response from the service ${came}`);
}

function toBytes({ body = '', size }: ResponseOrder): Buffer {
  if (size === undefined) return Buffer.from(body);
  return Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251));
}

const HEADERS: HeaderList = [
  ['Set-Cookie', 'a=1; Path=/; HttpOnly'],
  ['Set-Cookie', 'b=2; Expires=Wed, 21 Oct 2065 07:28:00 GMT'],
  ['set-cookie', 'a=3'],
  ['ETag', '"a,b"'],
  ['Last-Modified', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Cache-Control', 'private, max-age=0'],
  ['Vary', 'Accept, X-Other'],
  ['Content-Language', 'zh, en'],
  ['Content-Location', '/a%2Fb?c=d'],
  ['Link', '</a>; rel="next"'],
  ['Link', '</b>; rel="prev"'],
  ['WWW-Authenticate', 'Basic realm="of the service"'],
  ['Retry-After', '7'],
  ['Content-Security-Policy', "default-src 'none'"],
  ['X-Powered-By', 'fixture'],
  ['X-Conformance.Unusual~name!', '  "Quoted, text"; A=b'],
  ['x_under_score', 'kept'],
  ['X-Conformance-Empty', ''],
  ['X-Conformance-Repeated', 'one'],
  ['X-Conformance-Repeated', 'two, three'],
  ['X-Conformance-Long', 'x'.repeat(2100)],
];

const HEADER_ORDERS: ResponseOrder[] = [
  { type: 'application/json', body: '{}' },
  { type: 'text/html', body: '<p>' },
  { type: 'application/json; charset=UTF-8', body: '{}' },
  { type: 'Text/HTML;charset="utf-8"', body: '<p>', chunked: true },
  { status: 302, headers: [['Location', 'http://name.example/a b?c=%2F#d']] },
  { status: 204 },
  { status: 303, headers: [['Location', '/absolute/path?a=%2F']] },
  { status: 301, headers: [['Location', '/moved']] },
  { status: 308, headers: [['Location', '/moved?a=%2F']] },
  { status: 201, type: 'image/png', size: 10, headers: [['Location', '../relative']] },
  {
    status: 206,
    size: 5,
    headers: [
      ['Content-Range', 'bytes 0-4/10'],
      ['Accept-Ranges', 'bytes'],
    ],
  },
  { status: 304 },
  { status: 404, type: 'application/problem+json', body: '{}' },
  { status: 405, headers: [['Allow', 'GET, PUT']] },
  { status: 401, type: 'text/html', body: '<p>' },
  { status: 416, headers: [['Content-Range', 'bytes */10']] },
  { status: 503, type: 'text/plain', body: 'later' },
  { type: 'text/plain', body: 'not compressed', headers: [['Content-Encoding', 'x-conformance']] },
];

/** Headers with hop-by-hop names, and values that no gateway would choose itself. */
const LISTED: HeaderList = [
  ['Keep-Alive', 'timeout=977, max=977'],
  ['Proxy-Connection', 'x-conformance'],
  ['TE', 'x-conformance'],
  ['Upgrade', 'x-conformance/9'],
];

/** Headers with any name, listed in `Connection`. */
const NAMED: HeaderList = [
  ['Connection', 'X-Conformance-One ,x-conformance-TWO,  Proxy-Authenticate'],
  ['X-Conformance-One', 'x-conformance'],
  ['x-conformance-two', 'x-conformance'],
  ['X-Conformance-Two', 'x-conformance'],
  ['Proxy-Authenticate', 'Basic realm="x-conformance"'],
];

/** The same, with `Connection` repeated and combined with its usual values. */
const NAMED_TWICE: HeaderList = [
  ['Connection', 'close'],
  ['connection', 'X-Conformance-Three'],
  ['X-Conformance-Three', 'x-conformance'],
  ...LISTED,
];

/** The statuses with which the service sends each list. */
const HOPS: readonly [headers: HeaderList, statuses: readonly number[]][] = [
  [LISTED, [200, 302, 404]],
  [NAMED, [200, 204, 404]],
  [NAMED_TWICE, [200, 304, 404]],
];

/** Those that a 101 may not have either. */
const OF_SOCKETS = LISTED.slice(0, 2);

const EMPTY = [204, 304];

function expectNoHops(
  t: CheckContext,
  what: string,
  sent: HeaderList,
  headers: HeaderList,
  evidence: Evidence,
): void {
  for (const [name, value] of sent) {
    const came = readAll(headers, name).join(', ');
    // The gateway has its own `Connection` header, unrelated to the names that the service listed.
    const isConnection = name.toLowerCase() === 'connection';
    const isKept = isConnection ? /x-conformance/i.test(came) : came.includes(value);
    const message = `${what}: the service's ${name} must not reach the caller, but the caller received ${came}`;
    t.expect(!isKept, message, evidence);
  }
}

const STATUSES = [
  ...[200, 201, 202, 204, 206, 299, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 403, 404, 405, 409, 413, 418, 422, 429, 451, 499],
  ...[500, 501, 502, 503, 504, 599],
];

/** Alternates between three bodies: a text, an object that looks like a gateway error, and none. */
function toOrder(status: number): ResponseOrder {
  const location: ResponseOrder =
    status >= 300 && status < 400 ? { headers: [['Location', '/elsewhere']] } : {};
  if (EMPTY.includes(status) || status % 3 === 0) return { status, ...location };
  if (status % 3 === 1) return { status, type: 'text/plain', body: 'of the service', ...location };
  const body = { code: 'SERVICE_TIMEOUT', message: 'of the service', requestId: 'of the service' };
  return { status, type: 'application/json', body: JSON.stringify(body), ...location };
}

export const gatewayResponses: readonly Check[] = [
  defineCheck('GW-PAYLOAD/1', ['fixture'], (t) => expectObjects(t, { method: 'GET' })),
  defineCheck('GW-PAYLOAD/2', ['fixture'], (t) => expectTexts(t, { method: 'GET' })),
  defineCheck('GW-PAYLOAD/3', ['fixture'], (t) => expectObjects(t, jsonPost)),
  defineCheck('GW-PAYLOAD/4', ['fixture'], (t) => expectTexts(t, jsonPost)),
  defineCheck('GW-STATUS', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const status of STATUSES) {
        const kept = { ...call, keep429: status === 429 };
        const { received } = await requestResponse(t, toOrder(status), kept);
        t.expectEqual(`${call.method} /respond ${status}: the status`, received.status, status);
      }
    }
    const { status, refusal } = await refuseHandshake(t, { refuse: 409 });
    const what = 'a handshake that the service rejects with 409: the status';
    t.expectEqual(what, status, 409, refusal);
  }),
  defineCheck('GW-HEADERS', ['fixture'], async (t: CheckContext) => {
    for (const call of gatewayMethods) {
      // A POST gets half of them.
      const isPost = call.method === 'POST';
      for (const order of HEADER_ORDERS.filter((_, index) => !isPost || index % 2 === 1)) {
        const headers = [...HEADERS, ...(order.headers ?? [])];
        const exchange = await requestResponse(t, { ...order, headers }, call);
        assertStatus(t, order, exchange.received);
        const typed: HeaderList = order.type ? [['Content-Type', order.type]] : [];
        const what = `${call.method} /respond ${order.status ?? 200}`;
        expectSameHeaders(t, what, [...headers, ...typed], exchange.received.headers, exchange);
      }
    }
    await openSocket(t, { headers: HEADERS }, async (_, upgrade) =>
      expectSameHeaders(t, 'the 101 of a WebSocket', HEADERS, upgrade.headers, upgrade),
    );
    const { refusal, status } = await refuseHandshake(t, { headers: HEADERS });
    if (refusal && status === 403) {
      const what = 'a handshake that the service rejects';
      expectSameHeaders(t, what, HEADERS, refusal.received.headers, refusal);
    }
    await t.onOneConnection(async ({ gateway }) => {
      const path = t.fixture.respond({ headers: HEADERS });
      for (const what of ['the first', 'the second']) {
        const exchange = await gateway.call({ path });
        const { received } = exchange;
        const place = `${what} response on one connection`;
        if (received.status === 200)
          expectSameHeaders(t, place, HEADERS, received.headers, exchange);
      }
    });
  }),
  defineCheck('GW-HOP-BY-HOP', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const [headers, statuses] of HOPS) {
        for (const status of statuses) {
          const order = { status, type: 'text/plain', body: 'a', headers };
          const exchange = await requestResponse(t, order, call);
          const what = `${call.method} /respond ${status}`;
          expectNoHops(t, what, headers, exchange.received.headers, exchange);
        }
      }
    }
    const path = t.fixture.events({ count: 1, headers: [...LISTED, ...NAMED] });
    const exchange = await t.gateway.call({ path });
    expectNoHops(t, 'GET /events', [...LISTED, ...NAMED], exchange.received.headers, exchange);
    await openSocket(t, { headers: OF_SOCKETS }, async (_, upgrade) =>
      expectNoHops(t, 'the 101 of a WebSocket', OF_SOCKETS, upgrade.headers, upgrade),
    );
  }),
  defineCheck('GW-BODY', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const order of BODY_ORDERS) await expectBody(t, call, order);
    }
    // The response of a service that rejects a WebSocket handshake is like any other.
    const { refusal } = await refuseHandshake(t);
    if (refusal?.received.status === 403) {
      const { error } = Object(refusal.received.json);
      const isSame = typeof error === 'string' && error.includes('403');
      const wanted = 'a handshake that the service rejects: the caller must receive its response';
      t.expect(isSame, `${wanted}, but received ${cite(refusal.received.text)}`, refusal);
    }
    // A caller that accepts gzip must not receive anything that the service has not sent either.
    const headers = { 'Accept-Encoding': 'gzip, br' };
    const order = { type: 'text/plain', body: 'a text that gets shorter '.repeat(80) };
    await expectBody(t, { method: 'GET', headers }, order);
  }),
];
