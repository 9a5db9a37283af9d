import { MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { behind, changePath } from './support/behind.ts';
import { fault } from './support/fault.ts';

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
