import { isIP } from 'node:net';
import { SkipError } from '../errors.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import { codeOf } from '../http/read-response.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import {
  alternate,
  callEcho,
  expectError,
  openSocket,
  readHello,
  showResponse,
  undefinedIfNoResponse,
} from './calls.ts';

async function callPaths(t: CheckContext, paths: readonly string[]): Promise<void> {
  const calls = paths.map((path) => ({ path: path.replace('{service}', t.run.settings.service) }));
  for (const call of alternate(calls)) await callEcho(t, call);
}

/** Defines a check that expects calls to reach the service. An invariant compares their paths. */
const definePaths = (id: SentenceId, paths: readonly string[]): Check =>
  defineCheck(id, ['fixture'], (t) => callPaths(t, paths));

/** Hosts whose first label is, in different ways, not the name of an existing environment. */
function listUnknownHosts(t: CheckContext): string[] {
  const { hostname, port } = new URL(`http://${t.gateway.host}`);
  const [label = '', ...rest] = hostname.split('.');
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && rest.length > 0;
  const strange = t.run.uniqueName();
  const end = (isNamed ? rest.join('.') : 'gateway.example') + (port && `:${port}`);
  // A label has at most 63 characters (RFC 1035, section 2.3.4).
  const longer = `${label.slice(0, 62 - strange.length)}-${strange}`;
  const labels = isNamed ? [strange, `${strange}.${label}`, longer] : [strange];
  return labels.map((first) => `${first}.${end}`);
}

const QUERIES = [
  'b=2&a=%2F&b=%2f&a=1&c=+&d=%20&e=a%3Db&f==&g&&a=&=b&',
  `a%5B%5D=3;c&url=https://name:80/a?b=c/../d//e&%41=~%7E&*%2A!()'`,
  '%E4%BD%A0=%E5%A5%BD&%e5=%80%ff&%25=%2525&%26%3D%3D',
  'a',
  `long=${'0123456789'.repeat(110)}`,
];

/** Not allowed by RFC 3986: a gateway may reject it (RFC 9112, section 3). */
const INVALID_QUERY = 'a[]=1&a[]=2&c=100%&d=%zz';

const isMissing = ({ received }: Exchange): boolean =>
  received.status === 404 && codeOf(received) === 'SERVICE_NOT_FOUND';

/** A service may actually have a short name, and then it responds. A code of `SERVICE_…` is about the service. */
function isAccepted({ received }: Exchange): boolean {
  const { status } = received;
  const code = codeOf(received);
  return status < 400 || status > 499 || code === undefined || code.startsWith('SERVICE_');
}

/** Characters that a name must not contain, as they appear in a path. */
const FORBIDDEN_CHARACTERS = [...".~*'+,;:@", '%20', '%2F', '%25', '%E4%B8%AD', '%C3%A9'];

async function expectNoCall(
  t: CheckContext,
  what: string,
  call: (path: string) => Promise<Exchange | undefined>,
): Promise<void> {
  const mark = t.run.uniqueName();
  const exchange = await call(t.fixture.path('/respond', { mark }));
  t.expect((await t.fixture.count(mark)) === 0, `${what} must not reach the service`, exchange);
}

export const gatewayAddress: readonly Check[] = [
  defineCheck('GW-ENV-HOST', ['fixture'], async (t) => {
    const control = t.run.uniqueName();
    await t.gateway.call({ path: t.fixture.path('/respond', { mark: control }) });
    if ((await t.fixture.count(control)) !== 1) {
      throw new SkipError('the fixture service does not count the calls that it receives');
    }
    await t.onOneConnection(async ({ gateway }) => {
      // A call on the same connection must not make later ones belong to its environment.
      await gateway.call({ path: '/a' });
      const calls = listUnknownHosts(t).map((host) => ({ host }));
      const headers = { 'X-Forwarded-Host': t.gateway.host };
      const forwarded = { ...calls[0], method: 'GET', headers };
      for (const call of [forwarded, ...alternate(calls)]) {
        // It may get any response, or none.
        await expectNoCall(t, `${call.method} with Host: ${call.host}`, (path) =>
          undefinedIfNoResponse(t, gateway.call({ ...call, path })),
        );
      }
    });
  }),
  defineCheck('GW-PATH/1', ['fixture'], async (t) => {
    // Every character that may be unescaped in a path (RFC 3986, section 3.3).
    await callPaths(t, ['/Alpha.html', "/a;b=1:c@d+f!$&'()*,~g"]);
    const service = t.run.uniqueName();
    await expectNoCall(t, `a call to ${service}`, (path) => t.gateway.call({ service, path }));
  }),
  definePaths('GW-PATH/2', ['', '', '?a=1']),
  definePaths('GW-PATH/3', ['/', '/?a=1']),
  definePaths('GW-PATH/4', [
    '/a/b/c/',
    // Like the path of the call itself.
    '/v1/cloudrun/{service}/a',
    '/api/v2/envs/a/storages:b',
    "/.a/b.c/d..e/.../a;b=1/c:d@e/f,g/~h/i!$&'()*+j",
    `/${Array.from({ length: 300 }, (_, index) => index).join('/')}`,
  ]),
  definePaths('GW-PATH/5', [
    '/a%2Fb/%2f/x%2F',
    '/%E4%B8%AD%E6%96%87/%e4%b8%ad/%FF%FE%80',
    '/%25/%252F/100%25/%41%7A%30%7E%2D/~/a%20b+c',
    '/%3Fa%3D1%23b/%5C%3B%3A%40%26%3D%2B%24%2C',
  ]),
  definePaths('GW-PATH/6', ['/a//b?c=//d', '/a///b//c', '//a', '/a//', '//']),
  defineCheck('GW-QUERY-RAW', ['fixture'], async (t) => {
    const paths = QUERIES.map((query) => `/alpha?${query}`);
    await callPaths(t, [...paths, `/?${QUERIES[0]}`, '/alpha??']);
    await callEcho(t, { path: `/alpha?${INVALID_QUERY}` }, 400);
  }),
  defineCheck('GW-QUERY-RAW', ['fixture', 'alsoWebSocket'], async (t) => {
    const path = `${t.fixture.path('/socket')}?b=%2f&a=+&b=%20&a`;
    await openSocket(t, { call: { path } }, async (socket, upgrade) => {
      const { target } = await readHello(socket);
      const message = `the service must receive a WebSocket at ${path}, not ${target}`;
      t.expect(target.endsWith(path), message, upgrade);
    });
  }),
  defineCheck('GW-NAME/1', [], async (t) => {
    const name = t.run.uniqueName();
    // As plain as a name can be: letters only.
    const letters = name.replace(/[^a-z]/gi, '').slice(-20);
    if (!isMissing(await t.gateway.call({ service: `q${letters}q` }))) {
      throw new SkipError('a call to a missing service does not return 404 SERVICE_NOT_FOUND');
    }
    const odd = [name.toUpperCase(), name.replaceAll('-', '--_'), 'q9', `q${'-_'.repeat(29)}9`];
    const names = [...odd, `${name}7`.padStart(60, 'x')].map((service) => service.slice(0, 60));
    for (const call of alternate(names.map((service) => ({ service, path: '/a' })))) {
      const exchange = await t.gateway.call(call);
      const isValidName = isMissing(exchange) || (call.service.length < 3 && isAccepted(exchange));
      const message = `the name ${call.service} must be accepted, but the response was ${showResponse(exchange)}`;
      t.expect(isValidName, message, exchange);
    }
  }),
  defineCheck('GW-NAME/2', [], async (t) => {
    const name = t.run.uniqueName();
    const existing = t.run.settings.service;
    const names = [
      ...['a', 'Z', name.padEnd(61, 'x'), name.padEnd(200, 'z')],
      // Some would be the name of a service if their ends were trimmed.
      ...[`1${name}`, `_${name}`, `-${existing}`, `${existing}_`, `${existing}%20`, '9-'],
      ...FORBIDDEN_CHARACTERS.map((character) => `aZ7_${character}-_7Zb`),
    ];
    const calls = names.map((service, index) => ({ service, path: index % 3 ? '/a' : '' }));
    for (const call of alternate(calls)) {
      const exchange = await t.gateway.call(call);
      expectError(t, exchange, `the name ${call.service}`);
    }
  }),
];
