import { isIP } from 'node:net';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { NetworkFault } from '../http/faults.ts';
import { callEcho, gatewayMethods, openSocket, readHello } from './support/gateway.ts';

/**
 * Expects the service to receive a call with the right target.
 *
 * @param wanted describes what is right: `the path /`
 * @param refusal a status with which HTTP allows a gateway to reject the call
 */
async function expectTarget(
  t: CheckContext,
  call: GatewayCall,
  wanted: string,
  isRight: (target: string) => boolean,
  refusal?: number,
): Promise<void> {
  const what = `${call.method} ${t.gateway.servicePath}${call.path}`;
  const echo = await callEcho(t, call, what, refusal);
  if (!echo) return;
  const { target } = echo;
  t.expect(isRight(target), `${what}: the service must receive ${wanted}, but received ${target}`);
}

/** Calls each path with GET and POST; the service must receive exactly what follows its name. */
async function expectPaths(t: CheckContext, paths: readonly string[]): Promise<void> {
  for (const call of gatewayMethods) {
    for (const path of paths) {
      await expectTarget(t, { ...call, path }, path, (target) => target === path);
    }
  }
}

/** Hosts whose first label is, in different ways, not the name of an existing environment. */
function otherHosts(t: CheckContext): string[] {
  const { hostname, port } = new URL(`http://${t.gateway.host}`);
  const [label = '', ...rest] = hostname.split('.');
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && rest.length > 0;
  const strange = t.uniqueName();
  const labels = isNamed
    ? [
        strange,
        `${strange}.${label}`,
        `${label}-${strange}`.slice(0, 63),
        `${strange.slice(0, 62 - label.length)}-${label}`,
      ]
    : [strange];
  const end = (isNamed ? rest.join('.') : 'gateway.example') + (port && `:${port}`);
  return labels.map((one) => `${one}.${end}`);
}

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
  'b+a%26%3D%20%2B=%C3%A9;&a',
  '%26%26=%3D%3D&?&&+%20/;1==+',
  'a',
  '?',
  `long=${'0123456789'.repeat(110)}`,
];

/**
 * Characters that RFC 3986 allows in a query; a gateway may reject any other with 400 (RFC 9112, section 3).
 */
const SOUND = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;

function hasQueryOf(target: string, path: string): boolean {
  const [query, wanted] = [target, path].map((one) => one.split('?').slice(1).join('?'));
  return target.includes('?') && query === wanted;
}

export const gatewayAddress: readonly Check[] = [
  defineCheck('GW-ENV-HOST', ['fixture'], async (t: CheckContext) => {
    const control = t.uniqueName();
    await t.gateway.call({ path: t.fixture.respond({ mark: control }) });
    const isCounted = (await t.fixture.count(control)) === 1;
    t.reach(isCounted, 'the fixture service does not count the calls that it receives');
    await t.onOneConnection(async ({ gateway }) => {
      // A call on the same connection must not make later ones belong to its environment.
      await gateway.call({ path: '/a' });
      for (const host of otherHosts(t)) {
        for (const call of gatewayMethods) {
          const mark = t.uniqueName();
          const path = t.fixture.respond({ mark });
          const client = call.method === 'GET' ? gateway : t.gateway;
          try {
            await client.call({ ...call, path, host, acceptsRefusal: true });
          } catch (error) {
            // Any response will do, or none.
            if (!(error instanceof NetworkFault) || t.signal.aborted) throw error;
          }
          const what = `${call.method} with Host: ${host}`;
          const isApart = (await t.fixture.count(mark)) === 0;
          t.expect(isApart, `${what} must not reach the service, but it did`);
        }
      }
    });
  }),
  defineCheck('GW-PATH/1', ['fixture'], async (t) => {
    const own = `/${t.settings.service}`;
    const plain = ['/alpha', '/Alpha', '/0', '/index.html', '/v1'];
    await expectPaths(t, [...plain, own, `${own}/alpha`, UNESCAPED]);
    const mark = t.uniqueName();
    await t.gateway.call({ service: t.uniqueName(), path: t.fixture.respond({ mark }) });
    const isApart = (await t.fixture.count(mark)) === 0;
    t.expect(isApart, 'a call to a different service name must not reach this service');
  }),
  defineCheck('GW-PATH/2', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      for (const path of ['', '?a=1']) {
        await expectTarget(t, { ...call, path }, 'the path /', (target) =>
          /^\/(\?|$)/.test(target),
        );
      }
    }
  }),
  defineCheck('GW-PATH/3', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      const bare = t.fixture.readEcho(await t.gateway.call(call))?.target ?? '/';
      for (const path of ['/', '/?a=1']) {
        await expectTarget(t, { ...call, path }, `the path ${bare}`, (target) =>
          ['/', bare].includes(target.split('?')[0] ?? ''),
        );
      }
    }
  }),
  defineCheck('GW-PATH/4', ['fixture'], (t) =>
    expectPaths(t, [
      '/a/b',
      '/a/b/c/',
      `/v1/cloudrun/${t.settings.service}/a`,
      '/api/v2/envs/a/storages:b',
      '/.a/b.c/d..e/...',
      "/a;b=1/c:d@e/f,g/~h/i!$&'()*+j",
      `/${Array.from({ length: 300 }, (_, index) => index).join('/')}`,
    ]),
  ),
  defineCheck('GW-PATH/5', ['fixture'], async (t) => {
    await expectPaths(t, [
      '/a%2Fb',
      '/a%2fb/%2F',
      '/%E4%B8%AD%E6%96%87/%e4%b8%ad',
      '/%25/%252F/100%25',
      '/a%20b+c',
      '/%41%7A%30%7E%2D/~',
      '/%3Fa%3D1%23b',
      '/%5C%3B%3A%40%26%3D%2B%24%2C',
      '/%FF%FE%80',
      '/a%2F%2f%25%20%41%7E%3F%E4%B8%AD%FF/x',
      '/a/x%2F/x%25%2Fa%20%20/x%7E',
    ]);
  }),
  defineCheck('GW-PATH/6', ['fixture'], (t) =>
    expectPaths(t, ['/a//b', '/a///b//c', '//a', '/a//', '//', '/a//b?c=//d']),
  ),
  defineCheck('GW-QUERY-RAW', ['fixture'], async (t) => {
    const expectQuery = (call: GatewayCall, query: string) =>
      expectTarget(
        t,
        call,
        'the query unchanged',
        (target) => hasQueryOf(target, `${call.path}`),
        SOUND.test(query) ? undefined : 400,
      );
    for (const call of gatewayMethods) {
      for (const [index, query] of QUERIES.entries()) {
        await expectQuery({ ...call, path: `/alpha?${query}` }, query);
        // The root has its own operations, so half of the queries are sent there, too.
        if (index % 2 === 0) await expectQuery({ ...call, path: `/?${query}` }, query);
      }
    }
    const path = `${t.fixture.socket()}?b=%2f&a=+&b=%20&a`;
    await openSocket(t, { call: { path } }, async (socket) => {
      const { target } = await readHello(t, socket);
      const message = `WebSocket ${path}: the service must receive the query unchanged, but received ${target}`;
      t.expect(hasQueryOf(target, path), message);
    });
  }),
];
