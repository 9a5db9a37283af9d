import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { NetworkError } from '../http/connection.ts';
import { type Exchange, type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { claimSameHeaders } from '../invariants/claims.ts';
import { SkipError } from '../not-run.ts';
import { callEcho, openSocket, POST, readHello } from './gateway-calls.ts';

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
  const isLarge = call.body.length > MIN_LIMIT;
  await callEcho(t, call, isLarge ? 413 : undefined).catch((error) => {
    // A gateway that rejects a body while it is being sent may close the connection.
    if (!(isLarge && error instanceof NetworkError && error.code === 'ECONNRESET')) throw error;
    t.note(`POST of ${call.body.length} bytes: the gateway closed the connection, as HTTP allows.`);
  });
}

/** Cuts a body into chunks, one of which ends within a character. */
function toChunks(body: string): Buffer[] {
  const bytes = Buffer.from(body);
  const ends = [1, 17, 40, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** How many calls are made at the same time, and on one connection. */
const APART = 4;

type ApartCall = GatewayCall & { path: string; headers: Record<string, string> };

/** Creates calls some of which differ only in their query, or only in their headers. */
const toApartCalls = (label: string): ApartCall[] =>
  Array.from({ length: APART }, (_, index) => ({
    path: `/apart?of=${label}&call=${index % 2}`,
    headers: index % 2 ? {} : { 'X-Conformance': `${label} ${index}`, Cookie: `c=${index}` },
  }));

/** Expects a call to have arrived as it was sent, and its response to be the one to this call. */
function expectApart(t: CheckContext, call: ApartCall, exchange: Exchange): void {
  const echo = t.fixture.readEcho(exchange);
  if (!echo) throw new SkipError(`the response to ${call.path} was ${exchange.received.status}`);
  const isSame = echo.target === call.path;
  t.expect(isSame, `the response was that to ${echo.method} ${echo.target}`, exchange);
  for (const name of isSame ? ['X-Conformance', 'Cookie'] : []) {
    const arrived = readAll(echo.headers, name).join(', ');
    const isOwn = arrived === (call.headers[name] ?? '');
    t.expect(isOwn, `the service received the ${name} of another call: ${arrived}`, exchange);
  }
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
    await openSocket(t, { call: { headers: HEADERS } }, async (socket, upgrade) =>
      t.expectAll(claimSameHeaders(HEADERS, (await readHello(socket)).headers), upgrade),
    );
  }),
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
      for (const call of toApartCalls('connection')) {
        expectApart(t, call, await gateway.call(call));
      }
    });
    const calls = toApartCalls('once');
    const exchanges = await Promise.all(calls.map((call) => t.gateway.call(call)));
    for (const [index, exchange] of exchanges.entries()) {
      expectApart(t, calls[index] as ApartCall, exchange);
    }
    const mark = t.uniqueName();
    const path = t.fixture.respond({ status: 503, mark });
    const exchange = await t.gateway.call({ ...POST, path });
    const count = await t.fixture.count(mark);
    const found = `a POST to which the service responds with 503 reached it ${count} times`;
    t.expect(count <= 1, found, exchange);
  }),
];
