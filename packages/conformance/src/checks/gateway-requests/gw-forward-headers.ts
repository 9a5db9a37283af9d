import { isSameType } from '../../contract/media-type.ts';
import { type HeaderList, readAll, withHeaders } from '../../http/header-list.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { callEcho } from '../support/call-echo.ts';
import { cite } from '../support/cite.ts';
import { openSocket } from '../support/open-socket.ts';
import { readHello } from '../support/read-hello.ts';

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
  ['X-Conformance-Long', 'x'.repeat(1000)],
];
/** Names that proxies are often configured to block, which HTTP lets them do (RFC 9110, section 5.1). */
const UNUSUAL = /[^a-z\d-]/i;
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset="UTF-8"; profile=A',
];

export const gwForwardHeaders = defineCheck('GW-FORWARD-HEADERS', ['fixture'], async (t) => {
  for (const path of ['', '/a/b']) {
    const came = await callEcho(t, { path, headers: HEADERS }, `GET "${path}"`);
    if (came) expectHeaders(t, `GET "${path}"`, HEADERS, came.echo.headers);
  }
  for (const type of TYPES) {
    const headers = withHeaders(HEADERS, [['Content-Type', type]]);
    const what = `POST ${type}`;
    const came = await callEcho(t, { path: '/a', headers, body: '{}' }, what);
    if (came) expectHeaders(t, what, headers, came.echo.headers);
  }
  await openSocket(t, { call: { headers: HEADERS } }, async (socket) => {
    const { headers } = await readHello(t, socket);
    expectHeaders(t, 'WebSocket handshake', HEADERS, headers);
  });
});

function expectHeaders(t: Trial, what: string, sent: HeaderList, arrived: HeaderList): void {
  for (const name of new Set(sent.map(([key]) => key))) {
    // A list is as good as several headers.
    const [wanted, got] = [sent, arrived].map((list) => {
      const values = readAll(list, name);
      return values.length > 0 ? values.join(', ') : undefined;
    });
    const message = `the service must get ${name}: ${cite(wanted)}, not ${cite(got)}`;
    if (got === undefined && UNUSUAL.test(name)) {
      t.note(`${what}: ${name} does not reach the service; a proxy may be configured so.`);
      continue;
    }
    const isType = name.toLowerCase() === 'content-type';
    const holds = isType ? isSameType(wanted, got) : wanted === got;
    t.expect(holds, `${what}: ${message}`);
  }
}
