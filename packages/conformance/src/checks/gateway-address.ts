import { isIP } from 'node:net';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { Unreached } from '../result.ts';
import { alternate, callEcho, openSocket, orNothing, readHello } from './gateway-calls.ts';

/** Calls paths that must reach the service, in turn with GET and POST; the invariants compare what it received. */
const definePathCheck = (id: SentenceId, toPaths: (t: CheckContext) => readonly string[]): Check =>
  defineCheck(id, ['fixture'], async (t) => {
    for (const call of alternate(toPaths(t).map((path) => ({ path })))) await callEcho(t, call);
  });

/** Hosts whose first label is, in different ways, not the name of an existing environment. */
function otherHosts(t: CheckContext): string[] {
  const { hostname, port } = new URL(`http://${t.gateway.host}`);
  const [label = '', ...rest] = hostname.split('.');
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && rest.length > 0;
  const strange = t.uniqueName();
  const end = (isNamed ? rest.join('.') : 'gateway.example') + (port && `:${port}`);
  const labels = [
    strange,
    `${strange}.${label}`,
    `${label}-${strange}`.slice(0, 63),
    `${strange.slice(0, 62 - label.length)}-${label}`,
  ];
  return labels.slice(0, isNamed ? labels.length : 1).map((first) => `${first}.${end}`);
}

const QUERIES = [
  'b=2&a=%2F&b=%2f&a=1&c=+&d=%20&e=a%3Db&f==&g&&a=&=b&',
  `a%5B%5D=3;c&url=https://name:80/a?b=c/../d//e&%41=~%7E&*%2A!()'`,
  '%E4%BD%A0=%E5%A5%BD&%e5=%80%ff&%25=%2525&%26%3D%3D',
  'a',
  `long=${'0123456789'.repeat(110)}`,
];

/** Not allowed by RFC 3986: a gateway may reject it (RFC 9112, section 3). */
const LOOSE_QUERY = 'a[]=1&a[]=2&c=100%&d=%zz';

export const gatewayAddress: readonly Check[] = [
  defineCheck('GW-ENV-HOST', ['fixture'], async (t) => {
    const control = t.uniqueName();
    await t.gateway.call({ path: t.fixture.respond({ mark: control }) });
    if ((await t.fixture.count(control)) !== 1) {
      throw new Unreached('the fixture service does not count the calls that it receives');
    }
    await t.onOneConnection(async ({ gateway }) => {
      // A call on the same connection must not make later ones belong to its environment.
      await gateway.call({ path: '/a' });
      const calls: GatewayCall[] = otherHosts(t).map((host) => ({ host }));
      const headers = { 'X-Forwarded-Host': t.gateway.host };
      const forwarded = { ...calls[0], method: 'GET', headers };
      for (const call of [forwarded, ...alternate(calls)]) {
        const mark = t.uniqueName();
        const path = t.fixture.respond({ mark });
        const client = call.method === 'GET' ? gateway : t.gateway;
        // Any response will do, or none.
        await orNothing(t, client.call({ ...call, path, acceptsRefusal: true }));
        const what = `${call.method} with Host: ${call.host}`;
        const isApart = (await t.fixture.count(mark)) === 0;
        t.expect(isApart, `${what} must not reach the service, but it did`);
      }
    });
  }),
  defineCheck('GW-PATH/1', ['fixture'], async (t) => {
    // Every character that may be unescaped in a path (RFC 3986, section 3.3).
    for (const call of alternate([{ path: '/Alpha.html' }, { path: "/a;b=1:c@d+f!$&'()*,~g" }])) {
      await callEcho(t, call);
    }
    const mark = t.uniqueName();
    await t.gateway.call({ service: t.uniqueName(), path: t.fixture.respond({ mark }) });
    const isApart = (await t.fixture.count(mark)) === 0;
    t.expect(isApart, 'a call to a different service name must not reach this service');
  }),
  definePathCheck('GW-PATH/2', () => ['', '', '?a=1']),
  definePathCheck('GW-PATH/3', () => ['/', '/?a=1']),
  definePathCheck('GW-PATH/4', ({ settings }) => [
    '/a/b/c/',
    `/v1/cloudrun/${settings.service}/a`,
    '/api/v2/envs/a/storages:b',
    "/.a/b.c/d..e/.../a;b=1/c:d@e/f,g/~h/i!$&'()*+j",
    `/${Array.from({ length: 300 }, (_, index) => index).join('/')}`,
  ]),
  definePathCheck('GW-PATH/5', () => [
    '/a%2Fb/%2f/x%2F',
    '/%E4%B8%AD%E6%96%87/%e4%b8%ad',
    '/%25/%252F/100%25',
    '/%41%7A%30%7E%2D/~/a%20b+c',
    '/%3Fa%3D1%23b/%5C%3B%3A%40%26%3D%2B%24%2C',
    '/%FF%FE%80',
  ]),
  definePathCheck('GW-PATH/6', () => ['/a//b?c=//d', '/a///b//c', '//a', '/a//', '//']),
  defineCheck('GW-QUERY-RAW', ['fixture'], async (t) => {
    const paths = [...QUERIES.map((query) => `/alpha?${query}`), `/?${QUERIES[0]}`, '/alpha??'];
    for (const call of alternate(paths.map((path) => ({ path })))) await callEcho(t, call);
    await callEcho(t, { path: `/alpha?${LOOSE_QUERY}` }, 400);
    const query = 'b=%2f&a=+&b=%20&a';
    const path = `${t.fixture.socket()}?${query}`;
    await openSocket(t, { call: { path } }, async (socket) => {
      const { target } = await readHello(socket);
      const message = `the service must receive the query ?${query} of a WebSocket, but received ${target}`;
      t.expect(target.endsWith(`/socket?${query}`), message);
    });
  }),
];
