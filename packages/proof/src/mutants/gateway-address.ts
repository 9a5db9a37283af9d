import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { gatewayRequest, toGatewayResponse, toRefusal } from './support/gateway.ts';
import { retarget } from './support/storage.ts';

const HOST = 'gateway.example';

/** Rewrites the path of requests to the fixture service. */
const rewritePath = (rewrite: (path: string) => string) =>
  gatewayRequest((request) => {
    const { path, query } = request;
    if (request.service !== 'conformance') return;
    request.target = rewrite(path) + (query ? `?${query}` : '');
  });

export const gatewayAddress: readonly Mutant[] = [
  ...mutantsOf('GW-ENV-HOST', {
    'every host is accepted as the host of the environment': ({ env }) =>
      gatewayRequest(({ headers }) => headers.set('Host', `${env}.${HOST}`)),
    'a host that merely starts with the name of the environment is accepted': ({ env }) =>
      gatewayRequest(({ headers }) => {
        if (headers.get('Host')?.startsWith(`${env}-`)) headers.set('Host', `${env}.${HOST}`);
      }),
  }),
  ...mutantsOf('GW-PATH-SHAPE', {
    'the extension .html is removed from the path': gatewayRequest((request) => {
      request.target = request.target.replace(/\.html$/, '');
    }),
    'a call to a missing service is sent to another service': retarget((target) =>
      target.replace(/^\/v1\/cloudrun\/[^/?]+(?=[^?]*\/respond(\?|$))/, '/v1/cloudrun/conformance'),
    ),
  }),
  ...mutantsOf('GW-PATH-OPTIONAL', {
    'a call without anyPath calls /index': {
      request(request) {
        const isSigned = request.headers.get('authorization')?.startsWith('TC3-');
        if (request.path !== '/v1/cloudrun/conformance' || isSigned) return;
        request.target = request.target.replace(request.path, `${request.path}/index`);
      },
    },
    'a POST without anyPath is rejected': {
      request: ({ method, target }) =>
        method === 'POST' && target === '/v1/cloudrun/conformance?a=1'
          ? toRefusal(404, 'INVALID_PATH')
          : undefined,
    },
  }),
  mutant(
    'GW-PATH-TRAILING-SLASH',
    'a trailing slash after the name causes a redirect',
    {
      request({ target }) {
        if (target !== '/v1/cloudrun/conformance/') return;
        const redirect = toGatewayResponse(301);
        redirect.headers.set('Location', target.slice(0, -1));
        return redirect;
      },
    },
    ['GW-C1'],
  ),
  ...mutantsOf('GW-PATH-SEGMENTS', {
    'the tenth and later segments are dropped': gatewayRequest((request) => {
      const { path, query } = request;
      const segments = path.split('/');
      if (segments.length <= 14) return;
      request.target = segments.slice(0, 13).join('/') + (query ? `?${query}` : '');
    }),
    "the gateway's prefix is removed twice": retarget((target) =>
      target.replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1'),
    ),
  }),
  mutant(
    'GW-PATH-SEGMENTS',
    'segment parameters (;b=1) are dropped',
    rewritePath((path) => path.replaceAll(/;[^/]*/g, '')),
    ['GW-PATH-SHAPE'],
  ),
  ...mutantsOf('GW-PATH-ESCAPES', {
    '%2F in a path is decoded': rewritePath((path) => path.replaceAll('%2F', '/')),
    'escapes in a path are converted to upper case': rewritePath((path) =>
      path.replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase()),
    ),
    'encoded Chinese characters in a path are encoded again': rewritePath((path) =>
      path.replaceAll('%E4', '%25E4'),
    ),
  }),
  mutant(
    'GW-PATH-SLASHES',
    'empty path segments are dropped',
    rewritePath((path) => (/[^/]\/{2,}[^/]/.test(path) ? path.replaceAll(/\/{2,}/g, '/') : path)),
  ),
  ...mutantsOf('GW-QUERY-RAW', {
    'query parameters are sorted by name': gatewayRequest((request) => {
      if (request.query === '') return;
      const nameOf = (pair: string) => pair.split('=', 1)[0] ?? '';
      const pairs = request.query.split('&');
      const sorted = pairs.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
      request.target = `${request.path}?${sorted.join('&')}`;
    }),
    'a plus in the query of a POST is replaced by %20': gatewayRequest((request) => {
      if (request.method !== 'POST' || request.query === '') return;
      request.target = `${request.path}?${request.query.replaceAll('+', '%20')}`;
    }),
    'the query of a WebSocket handshake is encoded again': {
      upgrade(request) {
        request.target = request.target.replaceAll('%2f', '%2F');
      },
    },
  }),
];
