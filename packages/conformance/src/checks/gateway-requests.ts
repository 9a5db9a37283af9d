import { createHash } from 'node:crypto';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Exchange, type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { NetworkFault } from '../http/faults.ts';
import { cite } from '../validation/cite.ts';
import {
  callEcho,
  expectSameHeaders,
  gatewayMethods,
  openSocket,
  readHello,
} from './support/gateway.ts';

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

/** JSON objects, written so that any parser and serializer in between would change their bytes. */
const BODIES = [
  '{}',
  ' {\r\n\t"b" : 1.0,\n  "a":1e2, "a": 2 }\n',
  '{"unicode":"\\u0041\\/\\ud83d\\ude42 中文 é 🙂","":null}',
  '{"big":12345678901234567890123,"small":-0.0,"deep":[[[[{"a":[]}]]]]}',
  '{"data":{"code":"OK"},"fileList":[],"__proto__":{"a":1},"constructor":1}',
  `{"many":[${Array.from({ length: 500 }, (_, index) => `{"i":${index}}`)}]}`,
  `{"kilobyte":"${'a'.repeat(1024)}"}`,
  `{"long":"${'0123456789abcdef'.repeat(4096)}"}`,
  `{"longer":"${'中'.repeat(350_000)}"}`,
];

/**
 * Bodies that are also sent in chunks, and where the chunks end: in the second, one ends within a character.
 */
const CHUNKED = BODIES.slice(1, 3).map((body) => Buffer.from(body));

const ENDS = [1, 17, 34];

const TOO_LARGE = 413;

/** The contract specifies no limit for bodies; no gateway rejects one with fewer bytes than this. */
const LARGE = 32_768;

function toChunks(body = Buffer.alloc(0)): Buffer[] {
  return [0, ...ENDS].map((start, index) => body.subarray(start, ENDS[index]));
}

async function expectBody(t: CheckContext, call: GatewayCall, body: Buffer): Promise<void> {
  const how = call.chunks ? ' in chunks' : '';
  const what = `POST "${call.path}"${how} ${JSON.stringify(body.toString().slice(0, 40))}`;
  const isLarge = body.length > LARGE;
  const echo = await callEcho(t, call, what, isLarge ? TOO_LARGE : undefined).catch((error) => {
    // A gateway that rejects a body while it is being sent may close the connection.
    if (!(isLarge && error instanceof NetworkFault && error.code === 'ECONNRESET')) throw error;
    t.note(`${what.slice(0, 80)}: the gateway closed the connection, as HTTP allows.`);
  });
  if (!echo) return;
  const wanted = { size: body.length, sha256: createHash('sha256').update(body).digest('hex') };
  const spell = ({ size, sha256 }: typeof wanted) => `${size} bytes with the SHA-256 ${sha256}`;
  t.expectEqual(`${what}: what the service receives`, spell(echo.body), spell(wanted));
}

const HEADERS: HeaderList = [
  ['Accept', 'text/html;q=0.8, application/json'],
  ['Accept-Language', 'zh-CN, en;q=0.5'],
  ['Cookie', 'a=1; b="2"; c=%2F'],
  ['If-None-Match', 'W/"a,b", "c"'],
  ['If-Modified-Since', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Last-Event-ID', '0'],
  ['Referer', 'https://name.example/a?b=%2F'],
  ['User-Agent', 'berth-conformance (test)'],
  ['X-Conformance.Unusual~name!', '"Quoted, text"; A=b'],
  ['x_under_score', 'kept'],
  ['X-Conformance-Empty', ''],
  ['X-Conformance-Inner', 'two  spaces\tand a tab'],
  ['X-Conformance-Repeated', 'one'],
  ['X-Conformance-Repeated', 'two, three'],
  ['X-Conformance-Long', 'x'.repeat(1100)],
];

/** Names that proxies are often configured to block, as HTTP allows (RFC 9110, section 5.1). */
const UNUSUAL = /[^a-z\d-]/i;

const MEDIA_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset="UTF-8"; profile=A',
];

function expectHeaders(t: CheckContext, what: string, sent: HeaderList, arrived: HeaderList): void {
  const isBlocked = (name: string) => UNUSUAL.test(name) && readAll(arrived, name).length === 0;
  const blocked = sent.filter(([name]) => isBlocked(name)).map(([name]) => name);
  if (blocked.length > 0) {
    const names = blocked.join(' and ');
    t.note(`${what}: ${names} did not reach the service. A proxy may be configured to block it.`);
  }
  const others = sent.filter(([name]) => !isBlocked(name));
  expectSameHeaders(t, what, others, arrived);
}

const OVERRIDES = {
  'X-HTTP-Method-Override': 'PUT',
  'X-HTTP-Method': 'PUT',
  'X-Method-Override': 'PUT',
};

/** A gateway may reject a POST without a body, but must not turn it into a GET. */
const EMPTY = { method: 'POST', body: '' };

/** How many calls are made at the same time; half as many are made on one connection. */
const APART = 8;

type ApartCall = GatewayCall & { path: string; headers: Record<string, string> };

/** Expects a call to have arrived as it was sent, and its response to be the one to this call. */
function expectApart(t: CheckContext, when: string, call: ApartCall, exchange: Exchange): void {
  const echo = t.fixture.readEcho(exchange);
  const what = `${call.method} ${call.path} ${when}`;
  t.reach(echo !== undefined, `the response to ${what} was ${exchange.received.status}`);
  const isOwn = echo.target === call.path;
  const came = `that to ${echo.method} ${echo.target}`;
  t.expect(isOwn, `${what}: the response must be the one to this call, not ${came}`, exchange);
  for (const name of ['X-Conformance', 'Cookie']) {
    const [wanted, got] = [call.headers[name], readAll(echo.headers, name).join(', ')];
    const message = `${what}: the service must receive ${name}: ${cite(wanted)}, but received ${cite(got)}`;
    if (isOwn) t.expect(got === (wanted ?? ''), message, exchange);
  }
}

export const gatewayRequests: readonly Check[] = [
  defineCheck('GW-FORWARD-METHOD', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const headers of [call.headers, { ...call.headers, ...OVERRIDES }]) {
        for (const path of ['', '/a', '/a/b?_method=PUT']) {
          const exchange = await t.gateway.call({ ...call, headers, path });
          const method = t.fixture.readEcho(exchange)?.method;
          const came = method ?? `nothing, and the response was ${exchange.received.status}`;
          const what = `${call.method} "${path}": the method that the service receives`;
          t.expectEqual(what, came, call.method);
        }
      }
    }
    const echo = t.fixture.readEcho(await t.gateway.call({ ...EMPTY, path: '/a' }));
    const what = 'the method that the service receives of a POST without a body';
    if (echo) t.expectEqual(what, echo.method, 'POST');
  }),
  defineCheck('GW-FORWARD-HEADERS', ['fixture'], async (t) => {
    for (const path of ['', '/a/b']) {
      const echo = await callEcho(t, { path, headers: HEADERS }, `GET "${path}"`);
      if (echo) expectHeaders(t, `GET "${path}"`, HEADERS, echo.headers);
    }
    for (const type of MEDIA_TYPES) {
      const headers = withHeaders(HEADERS, [['Content-Type', type]]);
      const what = `POST ${type}`;
      const echo = await callEcho(t, { path: '/a', headers, body: '{}' }, what);
      if (echo) expectHeaders(t, what, headers, echo.headers);
    }
    await openSocket(t, { call: { headers: HEADERS } }, async (socket) => {
      const { headers } = await readHello(t, socket);
      expectHeaders(t, 'WebSocket handshake', HEADERS, headers);
    });
  }),
  defineCheck('GW-FORWARD-BODY', ['fixture'], async (t) => {
    const paths = ['', '/a/b?c=d'];
    for (const path of paths) {
      for (const [index, body] of BODIES.entries()) {
        const headers = { 'Content-Type': JSON_TYPES[index % JSON_TYPES.length] };
        await expectBody(t, { path, headers, body }, Buffer.from(body));
      }
    }
    const headers = { 'Content-Type': 'application/json' };
    const chunks = toChunks(CHUNKED[0]);
    const { received } = await t.gateway.call({ path: '/a', headers, chunks });
    if (received.status === 411) {
      return t.note(
        'The gateway rejects chunked bodies with 411, as HTTP allows (RFC 9112, section 6.3).',
      );
    }
    for (const path of paths) {
      for (const body of CHUNKED)
        await expectBody(t, { path, headers, chunks: toChunks(body) }, body);
    }
  }),
  defineCheck('GW-CALLS-APART', ['fixture'], async (t) => {
    const toCalls = (label: string): ApartCall[] =>
      Array.from({ length: APART }, (_, index) => {
        // Some differ only in their query, and some have no header of their own.
        const path = `/apart/${index % 3}?of=${label}&call=${index}`;
        const own =
          index % 2 === 0 ? { 'X-Conformance': `${label} ${index}`, Cookie: `c=${index}` } : {};
        return { method: 'GET', path, headers: own };
      });
    await t.onOneConnection(async ({ gateway }) => {
      for (const call of toCalls('connection').slice(0, APART / 2)) {
        expectApart(t, 'on one connection', call, await gateway.call(call));
      }
    });
    const calls = toCalls('once');
    const exchanges = await Promise.all(calls.map((call) => t.gateway.call(call)));
    for (const [index, call] of calls.entries()) {
      expectApart(t, 'at the same time as others', call, exchanges[index] as Exchange);
    }
  }),
];
