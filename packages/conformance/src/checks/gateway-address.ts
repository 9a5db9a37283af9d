import { isIP } from 'node:net';
import { array, constantFrom } from 'fast-check';
import type { CheckContext } from '../context/check-context.ts';
import type { GatewayCall, GatewayClient } from '../context/gateway-client.ts';
import { NetworkFault } from '../http/health.ts';
import { type Check, defineCheck } from './check.ts';
import { forAll } from './support/for-all.ts';
import { callEcho, gatewayMethods, openSocket, readHello } from './support/gateway.ts';

/** Calls each path with GET and POST; the service must receive exactly what follows its name. */
async function expectPath(t: CheckContext, paths: readonly string[]): Promise<void> {
  for (const call of gatewayMethods) {
    for (const path of paths) {
      const what = `${call.method} ${path}`;
      const came = await callEcho(t, { ...call, path }, what);
      if (!came) continue;
      const { target } = came.echo;
      t.expect(
        target === path,
        `${what}: the service must receive ${path}, but received ${target}`,
      );
    }
  }
}

/** Hosts whose first label is, in different ways, not the name of an existing environment. */
function otherHosts(t: CheckContext): string[] {
  const { hostname, port } = new URL(`http://${t.gateway.host}`);
  const [label = '', ...rest] = hostname.split('.');
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && rest.length > 0;
  const domain = isNamed ? rest.join('.') : 'gateway.example';
  const end = port === '' ? domain : `${domain}:${port}`;
  const strange = t.uniqueName();
  if (!isNamed) return [`${strange}.${end}`];
  return [
    `${strange}.${end}`,
    `${strange}.${label}.${end}`,
    `${label}-${strange}`.slice(0, 63).concat(`.${end}`),
    `${strange.slice(0, 62 - label.length)}-${label}.${end}`,
  ];
}

/** Makes a call and ignores its response, or the lack of one. */
async function callAnyhow(
  t: CheckContext,
  call: GatewayCall,
  gateway: Pick<GatewayClient, 'call'>,
): Promise<void> {
  try {
    await gateway.call(call);
  } catch (error) {
    if (!(error instanceof NetworkFault) || t.signal.aborted) throw error;
  }
}

/**
 * Characters for generated paths. The first is not part of an escape, so that no segment consists only of
 * dots.
 */
const PATH_PIECES = [
  'a',
  '%2F',
  '%2f',
  '%25',
  '%20',
  '%41',
  '%7E',
  '%3F',
  '%E4%B8%AD',
  '%FF',
  '/x',
];

/** Every character that may be unescaped in a path (RFC 3986, section 3.3). */
const UNESCAPED = "/a;b=1/c:d@e+f!$&'()*,~g=h.json";

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
  `long=${'0123456789'.repeat(110)}`,
];

/**
 * Characters that RFC 3986 allows in a query; a gateway may reject any other with 400 (RFC 9112, section 3).
 */
const SOUND = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;

const QUERY_PIECES = [...'ab=&+/?;1', '%26', '%3D', '%20', '%2B', '%C3%A9'];

/** Checks the query of a WebSocket handshake. */
async function expectOfSocket(t: CheckContext): Promise<void> {
  const query = 'b=%2f&a=+&b=%20&a';
  const call = { path: `${t.fixture.socket()}?${query}` };
  await openSocket(t, { call }, async (socket) => {
    const { target } = await readHello(t, socket);
    t.expect(
      queryOf(target) === query,
      toMessage(`WebSocket ${call.path}`, `it received ${target}`),
    );
  });
}

function queryOf(target = ''): string | undefined {
  const start = target.indexOf('?');
  return start < 0 ? undefined : target.slice(start + 1);
}

function toMessage(what: string, came: string): string {
  return `${what}: the service must receive the query unchanged, but ${came}`;
}

export const gatewayAddress: readonly Check[] = [
  defineCheck('GW-ENV-HOST', ['fixture'], async (t: CheckContext) => {
    const control = t.uniqueName();
    await t.gateway.call({ path: t.fixture.respond({ mark: control }) });
    t.reach(
      (await t.fixture.count(control)) === 1,
      'the fixture service does not count the calls that it receives',
    );
    await t.onOneConnection(async ({ gateway }) => {
      // A call on the same connection must not make later ones belong to its environment.
      await gateway.call({ path: '/a' });
      for (const host of otherHosts(t)) {
        for (const call of gatewayMethods) {
          const mark = t.uniqueName();
          const path = t.fixture.respond({ mark });
          const client = call.method === 'GET' ? gateway : t.gateway;
          await callAnyhow(t, { ...call, path, host, acceptsRefusal: true }, client);
          const count = await t.fixture.count(mark);
          const what = `${call.method} with Host: ${host}`;
          t.expect(count === 0, `${what} must not reach the service, but it did`);
        }
      }
    });
  }),
  defineCheck('GW-PATH-SHAPE', ['fixture'], async (t) => {
    const own = `/${t.settings.service}`;
    const plain = ['/alpha', '/Alpha', '/0', '/index.html', '/v1'];
    await expectPath(t, [...plain, own, `${own}/alpha`, UNESCAPED]);
    const mark = t.uniqueName();
    const path = t.fixture.respond({ mark });
    await t.gateway.call({ service: t.uniqueName(), path });
    const count = await t.fixture.count(mark);
    t.expect(
      count === 0,
      'a call to a different service name must not reach this service, but it did',
    );
  }),
  defineCheck('GW-PATH-OPTIONAL', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const path of ['', '?a=1']) {
        const what = `${call.method} ${t.gateway.servicePath}${path}`;
        const came = await callEcho(t, { ...call, path }, what);
        if (!came) continue;
        const [arrived] = came.echo.target.split('?');
        t.expect(
          arrived === '/',
          `${what}: the service must receive the path /, but received ${arrived}`,
        );
      }
    }
  }),
  defineCheck('GW-PATH-TRAILING-SLASH', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      const bare = t.fixture.readEcho(await t.gateway.call(call))?.target ?? '/';
      for (const query of ['', '?a=1']) {
        const what = `${call.method} ${t.gateway.servicePath}/${query}`;
        const came = await callEcho(t, { ...call, path: `/${query}` }, what);
        if (!came) continue;
        const [path = ''] = came.echo.target.split('?');
        const isSame = path === '/' || path === bare;
        t.expect(
          isSame,
          `${what}: the service must receive the path ${bare}, but received ${path}`,
        );
      }
    }
  }),
  defineCheck('GW-PATH-SEGMENTS', ['fixture'], async (t) => {
    await expectPath(t, [
      '/a/b',
      '/a/b/c/',
      `/v1/cloudrun/${t.settings.service}/a`,
      '/api/v2/envs/a/storages:b',
      '/.a/b.c/d..e/...',
      "/a;b=1/c:d@e/f,g/~h/i!$&'()*+j",
      `/${Array.from({ length: 300 }, (_, index) => index).join('/')}`,
    ]);
  }),
  defineCheck('GW-PATH-ESCAPES', ['fixture'], async (t) => {
    await expectPath(t, [
      '/a%2Fb',
      '/a%2fb/%2F',
      '/%E4%B8%AD%E6%96%87/%e4%b8%ad',
      '/%25/%252F/100%25',
      '/a%20b+c',
      '/%41%7A%30%7E%2D/~',
      '/%3Fa%3D1%23b',
      '/%5C%3B%3A%40%26%3D%2B%24%2C',
      '/%FF%FE%80',
    ]);
    const generated = array(constantFrom(...PATH_PIECES), { minLength: 1, maxLength: 12 });
    await forAll(t, generated, async (pieces, expect) => {
      const path = `/a${pieces.join('')}`;
      const exchange = await t.gateway.call({ path });
      const target = t.fixture.readEcho(exchange)?.target;
      const came =
        target === undefined
          ? `the response was ${exchange.received.status}`
          : `it received ${target}`;
      const message = `GET ${path}: the service must receive ${path}, but ${came}`;
      expect(target === path, message, exchange);
    });
  }),
  defineCheck('GW-PATH-SLASHES', ['fixture'], async (t) => {
    await expectPath(t, ['/a//b', '/a///b//c', '//a', '/a//', '//', '/a//b?c=//d']);
  }),
  defineCheck('GW-QUERY-RAW', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const path of ['/alpha', '/']) {
        // The root has its own operations, so half of the queries are sent there.
        const half = QUERIES.filter((_, index) => (index % 2 === 0) === (path === '/'));
        for (const query of path === '/' ? half : QUERIES) {
          const what = `${call.method} ${path}?${query}`;
          const refusal = SOUND.test(query) ? undefined : 400;
          const came = await callEcho(t, { ...call, path: `${path}?${query}` }, what, refusal);
          if (came)
            t.expect(
              queryOf(came.echo.target) === query,
              toMessage(what, `it received ${came.echo.target}`),
            );
        }
      }
    }
    const generated = array(constantFrom(...QUERY_PIECES), { minLength: 1, maxLength: 16 });
    await forAll(t, generated, async (pieces, expect) => {
      const query = pieces.join('');
      const exchange = await t.gateway.call({ path: `/?${query}` });
      const target = t.fixture.readEcho(exchange)?.target;
      const came =
        target === undefined
          ? `the response was ${exchange.received.status}`
          : `it received ${target}`;
      expect(queryOf(target) === query, toMessage(`GET /?${query}`, came), exchange);
    });
    await expectOfSocket(t);
  }),
];
