import { isSameType } from '../../contract/media-type.ts';
import type { HeaderList } from '../../http/header-list.ts';
import { readAll } from '../../http/header-list.ts';
import type { AnswerOrder } from '../../trial/fixture-tool.ts';
import type { Evidence, Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { cite } from '../support/cite.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { openSocket } from '../support/open-socket.ts';
import { orderAnswer } from '../support/order-answer.ts';

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
  ['X-Conformance-Long', 'x'.repeat(1500)],
];

const ORDERS: AnswerOrder[] = [
  { type: 'application/json', body: '{}' },
  { type: 'text/html', body: '<p>' },
  { type: 'application/json; charset=UTF-8', body: '{}' },
  { type: 'Text/HTML;charset="utf-8"', body: '<p>', chunked: true },
  { status: 302, headers: [['Location', 'http://name.example/a b?c=%2F#d']] },
  { status: 303, headers: [['Location', '/absolute/path?a=%2F']] },
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
  { status: 503, type: 'text/plain', body: 'later' },
  { type: 'text/plain', body: 'not compressed', headers: [['Content-Encoding', 'x-conformance']] },
];

export const gwHeaders = defineCheck('GW-HEADERS', ['fixture'], async (t: Trial) => {
  for (const call of gatewayMethods) {
    for (const order of ORDERS) {
      const headers = [...HEADERS, ...(order.headers ?? [])];
      const exchange = await orderAnswer(t, { ...order, headers }, call);
      const { status } = exchange.received;
      t.reach(status === (order.status ?? 200), `an order of ${order.status} brought ${status}`);
      const typed: HeaderList = order.type ? [['Content-Type', order.type]] : [];
      const what = `${call.method} /answer ${status}`;
      expectHeaders(t, what, [...headers, ...typed], exchange.received.headers, exchange);
    }
  }
  await openSocket(t, { headers: HEADERS }, async (_, upgrade) =>
    expectHeaders(t, 'the 101 of a WebSocket', HEADERS, upgrade.headers, upgrade),
  );
});

function expectHeaders(
  t: Trial,
  what: string,
  ordered: HeaderList,
  came: HeaderList,
  evidence: Evidence,
): void {
  for (const name of new Set(ordered.map(([key]) => key.toLowerCase()))) {
    const [wanted = [], got = []] = [ordered, came].map((list) =>
      readAll(list, name).map((value) => value.trim()),
    );
    const message = `${what}: ${name} must be ${spell(wanted)}, not ${spell(got)}`;
    t.expect(isSame(name, wanted, got), message, evidence);
  }
}

/** Whether a header is the one of the service, as far as HTTP leaves it to a gateway (D7). */
function isSame(name: string, wanted: readonly string[], got: readonly string[]): boolean {
  if (name === 'content-type') return got.length === 1 && isSameType(wanted[0], got[0]);
  if (name === 'vary') {
    const members = toMembers(got.join().toLowerCase());
    return toMembers(wanted.join().toLowerCase()).every((member) => members.includes(member));
  }
  // Cookies have commas of their own, and a gateway may have cookies of its own.
  if (name === 'set-cookie') {
    return wanted.join('\n') === got.filter((one) => wanted.includes(one)).join('\n');
  }
  if (wanted.length < 2) return wanted.length === got.length && wanted[0] === got[0];
  // Several lines are as good as one list, and spaces around its commas mean nothing (RFC 9110, section 5.3).
  return toMembers(wanted.join()).join() === toMembers(got.join()).join();
}

function toMembers(list: string): string[] {
  return list.split(',').map((member) => member.trim());
}

function spell(values: readonly string[]): string {
  return cite(values.length > 0 ? values.join(', ') : undefined);
}
