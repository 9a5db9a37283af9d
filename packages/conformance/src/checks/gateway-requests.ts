import { SkipError } from '../errors.ts';
import { NetworkError } from '../http/connection.ts';
import {
  type Exchange,
  type HeaderList,
  readAll,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import { readEcho } from '../http/fixture-protocol.ts';
import { claimSameHeaders } from '../invariants/invariant.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import type { GatewayCall } from '../run/clients.ts';
import { callEcho, openSocket, POST, readHello } from './calls.ts';

const OVERRIDES = {
  'X-HTTP-Method-Override': 'PUT',
  'X-HTTP-Method': 'PUT',
  'X-Method-Override': 'PUT',
};

const HEADERS: HeaderList = [
  ['Accept', 'text/html;q=0.8, application/json'],
  ['Accept-Language', 'zh-CN, en;q=0.5'],
  ['Cookie', 'a=1; b="2"; c=%2F'],
  ['If-None-Match', 'W/"a,b", "c"'],
  ['If-Modified-Since', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Last-Event-ID', '0'],
  ['Range', 'bytes=0-1'],
  ['Referer', 'https://name.example/a?b=%2F'],
  ['User-Agent', 'berth-conformance (test)'],
  ['X-Conformance-Quoted', '"Quoted, text"; A=b'],
  ['X-Conformance-Empty', ''],
  ['X-Conformance-Inner', 'two  spaces\tand a tab'],
  ['X-Conformance-Repeated', 'one'],
  ['X-Conformance-Repeated', 'two, three'],
  ['X-Conformance-Long', 'x'.repeat(1100)],
];

/** JSON objects, written so that any parser and serializer in between would change their bytes. */
const BODIES = [
  '{}',
  ' {\r\n\t"b" : 1.0,\n  "a":1e2, "a": 2, "big":12345678901234567890123, "__proto__":{"a":1} }\n',
  '{"unicode":"\\u0041\\/\\ud83d\\ude42 中文 é 🙂","":null,"data":{"code":"OK"}}',
  `{"long":"${'0123456789abcdef'.repeat(4096)}"}`,
  `{"longer":"${'中'.repeat(350_000)}"}`,
];

/** The contract specifies no limit for bodies; no gateway rejects one with fewer bytes than this. */
const MIN_LIMIT = 32_768;

async function expectBody(t: CheckContext, call: GatewayCall & { body: string }): Promise<void> {
  const size = Buffer.byteLength(call.body);
  const isLarge = size > MIN_LIMIT;
  await callEcho(t, call, isLarge ? 413 : undefined).catch((error) => {
    // A gateway that rejects a body while it is being sent may close the connection.
    if (!(isLarge && error instanceof NetworkError && error.code === 'ECONNRESET')) throw error;
    t.note(`POST of ${size} bytes: the gateway closed the connection, as HTTP allows.`);
  });
}

/** Cuts a body into chunks, one of which ends within a character. */
function toChunks(body: string): Buffer[] {
  const bytes = Buffer.from(body);
  const ends = [1, 17, 40, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Calls that are made at the same time, and on one connection. Some differ only in their query, or in their headers. */
const toIsolatedCalls = (label: string) => [
  { path: `/apart?of=${label}&call=0`, headers: { 'X-Conformance': `${label} 0`, Cookie: 'c=0' } },
  { path: `/apart?of=${label}&call=1`, headers: {} },
  { path: `/apart?of=${label}&call=0`, headers: { 'X-Conformance': `${label} 2`, Cookie: 'c=2' } },
  { path: `/apart?of=${label}&call=1`, headers: {} },
];

/** Expects the response to a call to show this call as it was sent, not another one. */
function expectIsolated(t: CheckContext, call: GatewayCall & { path: string }, exchange: Exchange) {
  const echo = readEcho(exchange);
  if (!echo) throw new SkipError(`the response to ${call.path} was ${exchange.received.status}`);
  const show = (target: string, headers: HeaderList) => {
    const [marks, cookies] = ['X-Conformance', 'Cookie'].map((name) => readAll(headers, name));
    return `GET ${target} with X-Conformance "${marks}" and Cookie "${cookies}"`;
  };
  const actual = show(echo.target, echo.headers);
  const expected = show(call.path, toHeaderList(call.headers));
  const message = `the response to ${expected} must be for this call, not ${actual}`;
  t.expect(actual === expected, message, exchange);
}

export const gatewayRequests: readonly Check[] = [
  defineCheck('GW-FORWARD-METHOD', ['fixture'], async (t) => {
    const path = '/a/b?_method=PUT';
    await callEcho(t, { path, headers: OVERRIDES });
    await callEcho(t, { ...POST, path, headers: { ...POST.headers, ...OVERRIDES } });
    // A gateway may reject a POST without a body, but must not turn it into a GET.
    await t.gateway.call({ method: 'POST', body: '', path });
  }),
  defineCheck('GW-FORWARD-HEADERS', ['fixture'], async (t) => {
    const type = 'Application/JSON;charset="UTF-8"; profile=A';
    const posted = withHeaders(HEADERS, [['Content-Type', type]]);
    for (const call of [{ headers: HEADERS }, { path: '/a/b', headers: posted, body: '{}' }]) {
      const { echo, exchange } = await callEcho(t, call);
      if (echo) t.expectAll(claimSameHeaders(call.headers, echo.headers), exchange);
    }
  }),
  defineCheck('GW-FORWARD-HEADERS', ['fixture', 'alsoWebSocket'], (t) =>
    openSocket(t, { call: { headers: HEADERS } }, async (socket, upgrade) =>
      t.expectAll(claimSameHeaders(HEADERS, (await readHello(socket)).headers), upgrade),
    ),
  ),
  defineCheck('GW-FORWARD-BODY', ['fixture'], async (t) => {
    for (const [index, body] of BODIES.entries()) {
      await expectBody(t, { ...POST, path: index % 2 ? '/a/b?c=d' : '', body });
    }
    for (const body of BODIES.slice(1, 3)) {
      const call = { path: '/a', headers: POST.headers, chunks: toChunks(body) };
      const { received } = await t.gateway.call(call);
      // RFC 9112, section 6.3
      if (received.status === 411)
        return t.note('Chunked bodies are rejected with 411, as HTTP allows.');
    }
  }),
  defineCheck('GW-CALLS-APART', ['fixture'], async (t) => {
    await t.onOneConnection(async ({ gateway }) => {
      for (const call of toIsolatedCalls('connection')) {
        expectIsolated(t, call, await gateway.call(call));
      }
    });
    const calls = toIsolatedCalls('once');
    await Promise.all(
      calls.map(async (call) => expectIsolated(t, call, await t.gateway.call(call))),
    );
    const mark = t.run.uniqueName();
    const path = t.fixture.path('/respond', { status: 503, mark });
    const exchange = await t.gateway.call({ ...POST, path });
    const count = await t.fixture.count(mark);
    const message = `a POST that gets a 503 must reach the service once, not ${count} times`;
    t.expect(count <= 1, message, exchange);
  }),
];
