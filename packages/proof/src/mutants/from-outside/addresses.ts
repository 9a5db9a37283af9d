import type { MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  changeQuery,
  forwardedPath,
  forwardedRequest,
  gatewayRequest,
  toGatewayResponse,
} from '../support/gateway.ts';

const toEnv = (env: string) => `${env}.gateway.example`;

/** Mutants that determine the environment incorrectly, as some real servers do. */
export const hosts: readonly Mutant[] = [
  ...mutantsOf('GW-ENV-HOST', {
    'every host counts as the host of the one environment': ({ env }) =>
      gatewayRequest(({ headers }) => headers.set('Host', toEnv(env))),
    'the environment is read from the token instead of the host': ({
      env,
      otherAuthorization,
      authorization,
    }) =>
      gatewayRequest(({ headers }) => {
        if (headers.get('Host')?.startsWith(`${env}.`)) return;
        if (headers.get('Authorization') === otherAuthorization)
          headers.set('Authorization', authorization);
        headers.set('Host', toEnv(env));
      }),
    'a host that names no environment gets the default one': ({ env }) =>
      gatewayRequest(({ headers }) => {
        if (!headers.get('Host')?.startsWith('other')) headers.set('Host', toEnv(env));
      }),
  }),
];

const decode = (path: string, pattern: RegExp) =>
  path.replace(pattern, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

const toEscape = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

function toRedirect(status: number, location: string): MutatedResponse {
  const response = toGatewayResponse(status);
  response.headers.set('Location', location);
  response.headers.set('Content-Disposition', 'attachment');
  return response;
}

const onPath = (
  rule: Mutant['rule'],
  breaks: string,
  rewrite: (path: string) => string,
  method?: string,
) => mutant(rule, breaks, forwardedPath(rewrite, method));

/** Mutants that change paths, as web servers and frameworks do. */
export const paths: readonly Mutant[] = [
  onPath(
    'GW-PATH-SHAPE',
    'the prefix is not removed from the path',
    (path) => `/v1/cloudrun/conformance${path}`,
  ),
  onPath('GW-PATH-SHAPE', 'the path of a POST is lost', () => '/', 'POST'),
  onPath('GW-PATH-SHAPE', 'the path is lower-cased', (path) =>
    path.replace(/(?<!%\w?)[A-Z]/g, (char) => char.toLowerCase()),
  ),
  onPath(
    'GW-PATH-SHAPE',
    'what follows a semicolon counts as a path parameter and is dropped',
    (path) => path.replace(/;[^/]*/g, ''),
  ),
  onPath('GW-PATH-SHAPE', "a path that begins with the service's name loses it", (path) =>
    path.replace(/^\/conformance(?=\/)/, ''),
  ),
  onPath('GW-PATH-SHAPE', 'a file extension counts as a format and is dropped', (path) =>
    path.replace(/\.(json|html|txt)$/, ''),
  ),
  mutant(
    'GW-PATH-OPTIONAL',
    'a GET without anyPath is redirected to the URL with a slash',
    forwardedRequest(({ method, path, target }) =>
      method === 'GET' && /^\/v1\/cloudrun\/[^/]+$/.test(path)
        ? toRedirect(301, target.replace(path, `${path}/`))
        : undefined,
    ),
  ),
  onPath(
    'GW-PATH-OPTIONAL',
    'a POST without anyPath goes to /index',
    (path) => path || '/index',
    'POST',
  ),
  mutant(
    'GW-PATH-TRAILING-SLASH',
    'a POST to the name and a slash is redirected',
    forwardedRequest(({ method, path }) =>
      method === 'POST' && /^\/v1\/cloudrun\/[^/]+\/$/.test(path)
        ? toRedirect(308, path.slice(0, -1))
        : undefined,
    ),
  ),
  onPath('GW-PATH-TRAILING-SLASH', 'the name and a slash call the path //', (path) =>
    path === '/' ? '//' : path,
  ),
  onPath('GW-PATH-SEGMENTS', 'segments beyond the fourth are lost', (path) =>
    path.split('/').slice(0, 5).join('/'),
  ),
  onPath(
    'GW-PATH-SEGMENTS',
    'a POST keeps its last segment only',
    (path) => path.replace(/^.*\/(?=.)/, '/'),
    'POST',
  ),
  onPath('GW-PATH-ESCAPES', 'escapes of unreserved characters are decoded', (path) =>
    decode(path, /%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9ae]|3\d|2[de])/gi),
  ),
  onPath('GW-PATH-ESCAPES', 'hexadecimal digits of escapes are upper-cased', (path) =>
    path.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()),
  ),
  onPath('GW-PATH-ESCAPES', 'an escaped percent sign is decoded', (path) =>
    path.replaceAll('%25', '%'),
  ),
  onPath('GW-PATH-ESCAPES', 'an escaped space becomes a plus', (path) =>
    path.replaceAll('%20', '+'),
  ),
  onPath('GW-PATH-ESCAPES', 'escapes that are not UTF-8 are replaced', (path) =>
    path.replace(/%(ff|80|c0)/gi, '%EF%BF%BD'),
  ),
  mutant(
    'GW-PATH-ESCAPES',
    'a path with an escape that is not UTF-8 is rejected',
    forwardedRequest(({ path }) => {
      try {
        decodeURIComponent(path);
        return undefined;
      } catch {
        return toGatewayResponse(400, 'text/html', '<h1>Bad Request</h1>');
      }
    }),
  ),
  onPath('GW-PATH-ESCAPES', 'escaped colons, commas and at signs are decoded', (path) =>
    decode(path, /%(3a|2c|40)/gi),
  ),
  onPath('GW-PATH-ESCAPES', 'escaped backslashes become slashes', (path) =>
    path.replace(/%5c/gi, '/'),
  ),
  onPath('GW-PATH-SHAPE', 'colons, at signs and pluses of the path are escaped', (path) =>
    path.replace(/[:@+]/g, toEscape),
  ),
  onPath(
    'GW-PATH-SHAPE',
    'parentheses, asterisks and apostrophes of the path are escaped',
    (path) => path.replace(/[()*'!]/g, toEscape),
  ),
  onPath('GW-PATH-SLASHES', 'slashes are merged at the start of the path only', (path) =>
    path.replace(/^\/{2,}/, '/'),
  ),
  onPath(
    'GW-PATH-SLASHES',
    'slashes are merged on POST',
    (path) => path.replace(/\/{2,}/g, '/'),
    'POST',
  ),
  onPath('GW-PATH-SLASHES', "a path's trailing slash is lost", (path) =>
    path.replace(/(?<=.)\/$/, ''),
  ),
  onPath('GW-PATH-SLASHES', 'three slashes become two', (path) => path.replace(/\/{3,}/g, '//')),
];

const rewrite = (breaks: string, change: (query: string) => string): Mutant =>
  mutant(
    'GW-QUERY-RAW',
    breaks,
    forwardedRequest((request) => {
      // The commands of the fixture service must stay intact, so a query is rewritten only if the
      // fixture can tell.
      if (!/\/(respond|events|count|closed|release)\?/.test(request.target))
        changeQuery(request, change);
    }),
  );

/** Mutants that change query strings, as some real servers do when they parse and serialize them. */
export const queries: readonly Mutant[] = [
  rewrite('a plus becomes an escaped space', (query) => query.replaceAll('+', '%20')),
  rewrite('an escaped space becomes a plus', (query) => query.replaceAll('%20', '+')),
  rewrite('parameters are sorted', (query) => query.split('&').sort().join('&')),
  rewrite('only the last of a repeated parameter is kept', (query) => {
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
  rewrite('a semicolon counts as an ampersand', (query) => query.replaceAll(';', '&')),
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
  rewrite('escapes that are not UTF-8 are replaced', (query) =>
    query.replace(/%(ff|80|c0)/gi, '%EF%BF%BD'),
  ),
  ...mutantsOf('GW-QUERY-RAW', {
    'it is lost if the path is left out': forwardedRequest((request) => {
      if (/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) request.target = request.path;
    }),
    'it is lost on POST': forwardedRequest((request) => {
      if (request.method === 'POST' && !/\/(respond|events)/.test(request.path))
        request.target = request.path;
    }),
  }),
];
