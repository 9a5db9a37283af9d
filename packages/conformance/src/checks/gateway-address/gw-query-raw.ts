import { array, constantFrom } from 'fast-check';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { callEcho } from '../support/call-echo.ts';
import { forAll } from '../support/for-all.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { openSocket } from '../support/open-socket.ts';
import { readHello } from '../support/read-hello.ts';

const QUERIES = [
  'b=2&a=1&b=1&a=1',
  'a=%2F&b=%2f&c=+&d=%20&e=a%3Db&f==&g',
  '%E4%BD%A0=%E5%A5%BD&%e5',
  'a[]=1&a[]=2&a%5B%5D=3',
  '&&a=&=b&',
  'a;b=1;c',
  'url=https://name:80/a?b=c/../d//e',
  'a=%25&b=%2525&c=100%&d=%zz',
  "a=%41&b=~%7E&c=*%2A!()'",
  '%80=%ff',
  'a',
  '?',
  `long=${'0123456789'.repeat(80)}`,
];
/** What RFC 3986 allows in a query; a gateway may refuse any other with 400 (RFC 9112, section 3). */
const SOUND = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const PIECES = ['a', 'b', '=', '&', '%26', '%3D', '+', '%20', '%2B', '%C3%A9', '/', '?', ';', '1'];

export const gwQueryRaw = defineCheck('GW-QUERY-RAW', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const path of ['/alpha', '/']) {
      // The root has operations of its own, so half of the queries go there.
      const half = QUERIES.filter((_, index) => (index % 2 === 0) === (path === '/'));
      for (const query of path === '/' ? half : QUERIES) {
        const what = `${call.method} ${path}?${query}`;
        const refusal = SOUND.test(query) ? undefined : 400;
        const came = await callEcho(t, { ...call, path: `${path}?${query}` }, what, refusal);
        if (came) t.expect(queryOf(came.echo.target) === query, toMessage(what, came.echo.target));
      }
    }
  }
  const generated = array(constantFrom(...PIECES), { minLength: 1, maxLength: 16 });
  await forAll(t, generated, async (pieces, expect) => {
    const query = pieces.join('');
    const exchange = await t.gateway.call({ path: `/?${query}` });
    const target = t.fixture.readEcho(exchange)?.target;
    const came = target ?? `an answer of ${exchange.received.status}`;
    expect(queryOf(target) === query, toMessage(`GET /?${query}`, came), exchange);
  });
  await expectOfSocket(t);
});

/** The handshake of a WebSocket has a query too. */
async function expectOfSocket(t: Trial): Promise<void> {
  const query = 'b=%2f&a=+&b=%20&a';
  const call = { path: `${t.fixture.socket()}?${query}` };
  await openSocket(t, { call }, async (socket) => {
    const { target } = await readHello(t, socket);
    t.expect(queryOf(target) === query, toMessage(`WebSocket ${call.path}`, target));
  });
}

function queryOf(target = ''): string | undefined {
  const start = target.indexOf('?');
  return start < 0 ? undefined : target.slice(start + 1);
}

function toMessage(what: string, came: string): string {
  return `${what}: the service must get the query as it was sent, not ${came}`;
}
