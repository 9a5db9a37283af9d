import { MutatedAnswer, type MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { behind, changePath, changeQuery, fault } from './fault.ts';

function sendTo(request: MutatedRequest, env: string, isTaken: (host: string) => boolean): void {
  const host = request.headers.get('Host') ?? '';
  if (request.isGateway && host.split('.')[0] !== env && isTaken(host)) {
    request.headers.set('Host', `${env}.gateway.example`);
  }
}

/** How servers get the environment wrong. */
export const hosts: readonly Mutant[] = [
  fault('GW-ENV-HOST', 'every host is that of the one environment', ({ env }) => ({
    request: (request) => sendTo(request, env, () => true),
  })),
  fault(
    'GW-ENV-HOST',
    'every host is that of the environment of the token',
    ({ env, otherAuthorization, authorization }) => ({
      request(request) {
        if (!request.isGateway || request.headers.get('Host')?.startsWith(`${env}.`)) return;
        if (request.headers.get('Authorization') === otherAuthorization)
          request.headers.set('Authorization', authorization);
        sendTo(request, env, () => true);
      },
    }),
  ),
  fault('GW-ENV-HOST', 'a host that names no environment gets the default one', ({ env }) => ({
    request: (request) => sendTo(request, env, (host) => !host.startsWith('other')),
  })),
];

const decode = (path: string, pattern: RegExp) =>
  path.replace(pattern, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

const toEscape = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** What web servers and frameworks do to paths on the way. */
export const paths: readonly Mutant[] = [
  fault(
    'GW-PATH-SHAPE',
    'the prefix is not taken off the path',
    behind((request) => changePath(request, (path) => `/v1/cloudrun/conformance${path}`)),
  ),
  fault(
    'GW-PATH-SHAPE',
    'the path of a POST is lost',
    behind((request) => {
      if (request.method === 'POST') changePath(request, () => '/');
    }),
  ),
  fault(
    'GW-PATH-SHAPE',
    'the path is lower-cased',
    behind((request) =>
      changePath(request, (path) => path.replace(/(?<!%\w?)[A-Z]/g, (char) => char.toLowerCase())),
    ),
    ['GW-PATH-ESCAPES'],
  ),
  fault(
    'GW-PATH-SHAPE',
    'what follows a semicolon is taken for a path parameter and cut',
    behind((request) => changePath(request, (path) => path.replace(/;[^/]*/g, ''))),
  ),
  fault(
    'GW-PATH-SHAPE',
    'a path that begins with the name of the service loses it',
    behind((request) => changePath(request, (path) => path.replace(/^\/conformance(?=\/)/, ''))),
  ),
  fault(
    'GW-PATH-SHAPE',
    'a file extension is taken for a format and cut',
    behind((request) => changePath(request, (path) => path.replace(/\.(json|html|txt)$/, ''))),
  ),
  fault(
    'GW-PATH-OPTIONAL',
    'a GET without anyPath is redirected to the address with a slash',
    behind(({ method, path, target }) =>
      method === 'GET' && /^\/v1\/cloudrun\/[^/]+$/.test(path)
        ? new MutatedAnswer(301, {
            Location: target.replace(path, `${path}/`),
            'X-Request-Id': crypto.randomUUID(),
            'Content-Disposition': 'attachment',
          })
        : undefined,
    ),
  ),
  fault(
    'GW-PATH-OPTIONAL',
    'a POST without anyPath goes to /index',
    behind((request) => {
      if (request.method === 'POST') changePath(request, (path) => path || '/index');
    }),
  ),
  fault(
    'GW-PATH-TRAILING-SLASH',
    'a POST to the name and a slash is redirected',
    behind(({ method, path }) =>
      method === 'POST' && /^\/v1\/cloudrun\/[^/]+\/$/.test(path)
        ? new MutatedAnswer(308, {
            Location: path.slice(0, -1),
            'X-Request-Id': crypto.randomUUID(),
          })
        : undefined,
    ),
  ),
  fault(
    'GW-PATH-TRAILING-SLASH',
    'the name and a slash call //',
    behind((request) => changePath(request, (path) => (path === '/' ? '//' : path))),
  ),
  fault(
    'GW-PATH-SEGMENTS',
    'segments beyond the fourth are lost',
    behind((request) => changePath(request, (path) => path.split('/').slice(0, 5).join('/'))),
  ),
  fault(
    'GW-PATH-SEGMENTS',
    'a POST keeps its last segment only',
    behind((request) => {
      if (request.method === 'POST') changePath(request, (path) => path.replace(/^.*\/(?=.)/, '/'));
    }),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'escapes of unreserved characters are decoded',
    behind((request) =>
      changePath(request, (path) =>
        decode(path, /%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9ae]|3\d|2[de])/gi),
      ),
    ),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'hexadecimal digits of escapes are upper-cased',
    behind((request) =>
      changePath(request, (path) => path.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase())),
    ),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'an escaped percent sign is decoded',
    behind((request) => changePath(request, (path) => path.replaceAll('%25', '%'))),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'an escaped space becomes a plus',
    behind((request) => changePath(request, (path) => path.replaceAll('%20', '+'))),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'escapes that are no UTF-8 are replaced',
    behind((request) => changePath(request, (path) => path.replace(/%(ff|80|c0)/gi, '%EF%BF%BD'))),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'a path with an escape that is no UTF-8 is refused',
    behind(({ path }) => {
      try {
        decodeURIComponent(path);
        return undefined;
      } catch {
        return new MutatedAnswer(400, { 'Content-Type': 'text/html' }, '<h1>Bad Request</h1>');
      }
    }),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'escaped colons, commas and at signs are decoded',
    behind((request) => changePath(request, (path) => decode(path, /%(3a|2c|40)/gi))),
  ),
  fault(
    'GW-PATH-ESCAPES',
    'escaped backslashes become slashes',
    behind((request) => changePath(request, (path) => path.replace(/%5c/gi, '/'))),
  ),
  fault(
    'GW-PATH-SHAPE',
    'colons, at signs and pluses of the path are escaped',
    behind((request) => changePath(request, (path) => path.replace(/[:@+]/g, toEscape))),
  ),
  fault(
    'GW-PATH-SHAPE',
    'parentheses, asterisks and apostrophes of the path are escaped',
    behind((request) => changePath(request, (path) => path.replace(/[()*'!]/g, toEscape))),
  ),
  fault(
    'GW-PATH-SLASHES',
    'slashes are merged at the start of the path only',
    behind((request) => changePath(request, (path) => path.replace(/^\/{2,}/, '/'))),
  ),
  fault(
    'GW-PATH-SLASHES',
    'slashes are merged on POST',
    behind((request) => {
      if (request.method === 'POST') changePath(request, (path) => path.replace(/\/{2,}/g, '/'));
    }),
  ),
  fault(
    'GW-PATH-SLASHES',
    'a slash at the end of a path is lost',
    behind((request) => changePath(request, (path) => path.replace(/(?<=.)\/$/, ''))),
  ),
  fault(
    'GW-PATH-SLASHES',
    'three slashes become two',
    behind((request) => changePath(request, (path) => path.replace(/\/{3,}/g, '//'))),
  ),
];

const rewrite = (breaks: string, change: (query: string) => string): Mutant =>
  fault(
    'GW-QUERY-RAW',
    breaks,
    behind((request) => {
      // The commands of the fixture service stay what they are: a query is rewritten where only it can tell.
      if (!/\/(answer|events|count|closed|release)\?/.test(request.target))
        changeQuery(request, change);
    }),
  );

/** What parsers do to query strings that are read and written again. */
export const queries: readonly Mutant[] = [
  rewrite('a plus becomes an escaped space', (query) => query.replaceAll('+', '%20')),
  rewrite('an escaped space becomes a plus', (query) => query.replaceAll('%20', '+')),
  rewrite('parameters are sorted', (query) => query.split('&').sort().join('&')),
  rewrite('of a repeated parameter the last is kept', (query) => {
    const pairs = query.split('&');
    const nameOf = (pair: string) => pair.split('=')[0];
    return pairs
      .filter(
        (pair, index) => !pairs.slice(index + 1).some((later) => nameOf(later) === nameOf(pair)),
      )
      .join('&');
  }),
  rewrite('a parameter without a value gets an equals sign', (query) =>
    query.replace(/(?<=^|&)[^=&]+(?=&|$)/g, '$&='),
  ),
  rewrite('an equals sign without a value is lost', (query) => query.replace(/=(?=&|$)/g, '')),
  rewrite('a second question mark is escaped', (query) => query.replaceAll('?', '%3F')),
  rewrite('empty pairs are dropped', (query) => query.replace(/&{2,}/g, '&').replace(/^&|&$/g, '')),
  rewrite('a semicolon is taken for an ampersand', (query) => query.replaceAll(';', '&')),
  rewrite('an apostrophe is escaped', (query) => query.replaceAll("'", '%27')),
  rewrite('brackets are escaped', (query) => query.replaceAll('[', '%5B').replaceAll(']', '%5D')),
  rewrite('escaped tildes are decoded', (query) => query.replace(/%7e/gi, '~')),
  rewrite('slashes and colons are escaped', (query) =>
    query.replaceAll('/', '%2F').replaceAll(':', '%3A'),
  ),
  rewrite('escaped slashes are decoded', (query) => query.replace(/%2f/gi, '/')),
  rewrite('escapes are upper-cased', (query) =>
    query.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()),
  ),
  rewrite('escapes that are no UTF-8 are replaced', (query) =>
    query.replace(/%(ff|80|c0)/gi, '%EF%BF%BD'),
  ),
  fault(
    'GW-QUERY-RAW',
    'it is lost where the path is left out',
    behind((request) => {
      if (/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) request.target = request.path;
    }),
  ),
  fault(
    'GW-QUERY-RAW',
    'it is lost on POST',
    behind((request) => {
      if (request.method === 'POST' && !/\/(answer|events)/.test(request.path))
        request.target = request.path;
    }),
  ),
];
