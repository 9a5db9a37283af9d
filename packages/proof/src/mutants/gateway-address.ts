import type { MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  changeQuery,
  drop,
  forwardedRequest,
  gatewayRequest,
  onPath,
  replace,
  toGatewayResponse,
  toRefusal,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

const toEnv = (env: string) => `${env}.gateway.example`;

const decode = (pattern: RegExp) =>
  replace(pattern, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
const upperCase = replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
const NOT_UTF8 = /%(ff|80|c0)/gi;
const toEscape = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

// The commands of the fixture service must stay intact, so a query is rewritten only if the fixture can tell.
const onQuery = (change: (query: string) => string) =>
  forwardedRequest((request) => {
    if (!/\/(respond|events|count|closed|release)\?/.test(request.target))
      changeQuery(request, change);
  });

export const gatewayAddress: Rows = {
  'GW-ENV-HOST': {
    'every host is accepted as the host of the environment': ({ env }) =>
      gatewayRequest(({ headers }) => headers.set('Host', toEnv(env))),
    'a host that merely starts with the name of the environment is accepted': ({ env }) =>
      gatewayRequest(({ headers }) => {
        if (headers.get('Host')?.startsWith(`${env}-`)) headers.set('Host', toEnv(env));
      }),
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
  },
  'GW-PATH-SHAPE': {
    'the extension .html is removed from the path': onPath(drop(/\.html$/)),
    'a call to a missing service is sent to another service': retarget(
      replace(/^\/v1\/cloudrun\/[^/?]+(?=[^?]*\/respond(\?|$))/, '/v1/cloudrun/conformance'),
    ),
    'the prefix is not removed from the path': onPath((path) => `/v1/cloudrun/conformance${path}`),
    'the path of a POST is lost': onPath(() => '/', 'POST'),
    'the path is lower-cased': onPath(replace(/(?<!%\w?)[A-Z]/g, (char) => char.toLowerCase())),
    'what follows a semicolon counts as a path parameter and is dropped': onPath(drop(/;[^/]*/g)),
    "a path that begins with the service's name loses it": onPath(drop(/^\/conformance(?=\/)/)),
    'colons, at signs and pluses of the path are escaped': onPath(replace(/[:@+]/g, toEscape)),
    'parentheses, asterisks and apostrophes of the path are escaped': onPath(
      replace(/[()*'!]/g, toEscape),
    ),
  },
  'GW-PATH-OPTIONAL': {
    'a call without anyPath calls /index': onPath((path) => path || '/index'),
    'a POST without anyPath is rejected': {
      request: ({ method, target }) =>
        method === 'POST' && target === '/v1/cloudrun/conformance?a=1'
          ? toRefusal(404, 'INVALID_PATH')
          : undefined,
    },
    'a GET without anyPath is redirected to the URL with a slash': forwardedRequest(
      ({ method, path, target }) =>
        method === 'GET' && /^\/v1\/cloudrun\/[^/]+$/.test(path)
          ? toRedirect(301, target.replace(path, `${path}/`))
          : undefined,
    ),
  },
  'GW-PATH-TRAILING-SLASH': {
    'a trailing slash after the name causes a redirect': [
      {
        request({ target }) {
          if (target !== '/v1/cloudrun/conformance/') return;
          const redirect = toGatewayResponse(301);
          redirect.headers.set('Location', target.slice(0, -1));
          return redirect;
        },
      },
      'GW-C1',
    ],
    'a POST to the name and a slash is redirected': forwardedRequest(({ method, path }) =>
      method === 'POST' && /^\/v1\/cloudrun\/[^/]+\/$/.test(path)
        ? toRedirect(308, path.slice(0, -1))
        : undefined,
    ),
    'the name and a slash call the path //': onPath((path) => (path === '/' ? '//' : path)),
  },
  'GW-PATH-SEGMENTS': {
    'the tenth and later segments are dropped': gatewayRequest((request) => {
      const { path, query } = request;
      const segments = path.split('/');
      if (segments.length <= 14) return;
      request.target = segments.slice(0, 13).join('/') + (query ? `?${query}` : '');
    }),
    "the gateway's prefix is removed twice": retarget(replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1')),
    'segment parameters (;b=1) are dropped': [onPath(drop(/;[^/]*/g)), 'GW-PATH-SHAPE'],
    'segments beyond the fourth are lost': onPath((path) => path.split('/').slice(0, 5).join('/')),
    'a POST keeps its last segment only': onPath(replace(/^.*\/(?=.)/, '/'), 'POST'),
  },
  'GW-PATH-ESCAPES': {
    '%2F in a path is decoded': onPath(replace('%2F', '/')),
    'escapes in a path are converted to upper case': onPath(upperCase),
    'encoded Chinese characters in a path are encoded again': onPath(replace('%E4', '%25E4')),
    'escapes of unreserved characters are decoded': onPath(
      decode(/%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9ae]|3\d|2[de])/gi),
    ),
    'an escaped percent sign is decoded': onPath(replace('%25', '%')),
    'an escaped space becomes a plus': onPath(replace('%20', '+')),
    'escapes that are not UTF-8 are replaced': onPath(replace(NOT_UTF8, '%EF%BF%BD')),
    'a path with an escape that is not UTF-8 is rejected': forwardedRequest(({ path }) => {
      try {
        decodeURIComponent(path);
        return undefined;
      } catch {
        return toGatewayResponse(400, 'text/html', '<h1>Bad Request</h1>');
      }
    }),
    'escaped colons, commas and at signs are decoded': onPath(decode(/%(3a|2c|40)/gi)),
    'escaped backslashes become slashes': onPath(replace(/%5c/gi, '/')),
  },
  'GW-PATH-SLASHES': {
    'empty path segments are dropped': onPath((path) =>
      /[^/]\/{2,}[^/]/.test(path) ? path.replaceAll(/\/{2,}/g, '/') : path,
    ),
    'slashes are merged at the start of the path only': onPath(replace(/^\/{2,}/, '/')),
    'slashes are merged on POST': onPath(replace(/\/{2,}/g, '/'), 'POST'),
    "a path's trailing slash is lost": onPath(drop(/(?<=.)\/$/)),
    'three slashes become two': onPath(replace(/\/{3,}/g, '//')),
  },
  'GW-QUERY-RAW': {
    'query parameters are sorted by name': [
      onQuery((query) => {
        const nameOf = (pair: string) => pair.split('=', 1)[0] ?? '';
        const pairs = query.split('&');
        return pairs.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other))).join('&');
      }),
      'GW-CALLS-APART',
    ],
    'a plus in the query of a POST is replaced by %20': forwardedRequest((request) => {
      if (request.method === 'POST') changeQuery(request, replace('+', '%20'));
    }),
    'the query of a WebSocket handshake is encoded again': {
      upgrade(request) {
        request.target = request.target.replaceAll('%2f', '%2F');
      },
    },
    'an escaped space becomes a plus': onQuery(replace('%20', '+')),
    'only the last of a repeated parameter is kept': onQuery((query) => {
      const last = new Map(query.split('&').map((pair) => [pair.split('=')[0], pair]));
      return [...last.values()].join('&');
    }),
    'a parameter without a value gets an equals sign': onQuery(
      replace(/(?<=^|&)[^=&]+(?=&|$)/g, '$&='),
    ),
    'an equals sign without a value is lost': onQuery(drop(/=(?=&|$)/g)),
    'a second question mark is escaped': onQuery(replace('?', '%3F')),
    'empty pairs are dropped': onQuery((query) =>
      query.replace(/&{2,}/g, '&').replace(/^&|&$/g, ''),
    ),
    'a semicolon counts as an ampersand': onQuery(replace(';', '&')),
    'an apostrophe is escaped': onQuery(replace("'", '%27')),
    'brackets are escaped': onQuery((query) => query.replaceAll('[', '%5B').replaceAll(']', '%5D')),
    'escaped tildes are decoded': onQuery(replace(/%7e/gi, '~')),
    'slashes and colons are escaped': onQuery((query) =>
      query.replaceAll('/', '%2F').replaceAll(':', '%3A'),
    ),
    'escaped slashes are decoded': onQuery(replace(/%2f/gi, '/')),
    'escapes are upper-cased': onQuery(upperCase),
    'escapes that are not UTF-8 are replaced': onQuery(replace(NOT_UTF8, '%EF%BF%BD')),
    'it is lost if the path is left out': forwardedRequest((request) => {
      if (/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) request.target = request.path;
    }),
    'it is lost on POST': forwardedRequest((request) => {
      if (request.method === 'POST' && !/\/(respond|events)/.test(request.path))
        request.target = request.path;
    }),
  },
};

function toRedirect(status: number, location: string): MutatedResponse {
  const response = toGatewayResponse(status);
  response.headers.set('Location', location);
  response.headers.set('Content-Disposition', 'attachment');
  return response;
}
