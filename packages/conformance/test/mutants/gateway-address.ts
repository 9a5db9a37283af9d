import type { Rows } from './mutant.ts';
import { perConnection } from './support/connections.ts';
import {
  changeTail,
  drop,
  forwardedRequest,
  gatewayRequest,
  onPath,
  replace,
  toGatewayResponse,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

const toEnv = (env: string) => `${env}.gateway.example`;
const NOT_UTF8 = /%(ff|80|c0)/gi;

// The commands of the fixture service must stay intact, so a query is rewritten only if the fixture can tell.
const onQuery = (change: (query: string) => string) =>
  forwardedRequest((request) => {
    if (!/\/(respond|events|count|closed|release)\?/.test(request.target))
      changeTail(request, (tail) => tail.replace(/(?<=^[^?]*\?).*/, change));
  });

export const gatewayAddress: Rows = {
  'GW-ENV-HOST: every host is accepted as the host of the environment': ({ env }) =>
    gatewayRequest(({ headers }) => headers.set('Host', toEnv(env))),
  'GW-ENV-HOST: the Host of the first call on a connection counts for later calls': () => {
    const stateOf = perConnection<{ host?: string | undefined }>(() => ({}));
    return gatewayRequest((request) => {
      const state = stateOf(request);
      state.host ??= request.headers.get('Host');
      if (state.host) request.headers.set('Host', state.host);
    });
  },
  'GW-PATH/1: a call to a missing service is sent to another service': retarget(
    replace(/^\/v1\/cloudrun\/[^/?]+(?=[^?]*\/respond(\?|$))/, '/v1/cloudrun/conformance'),
  ),
  'GW-PATH/1: what follows a semicolon counts as a path parameter and is dropped': onPath(
    drop(/;[^/]*/g),
  ),
  'GW-PATH/2: a call without anyPath calls /index': onPath((path) => path || '/index'),
  'GW-PATH/3: a trailing slash after the name causes a redirect': {
    request({ target }) {
      if (target !== '/v1/cloudrun/conformance/') return;
      const redirect = toGatewayResponse(301);
      redirect.headers.set('Location', target.slice(0, -1));
      return redirect;
    },
  },
  'GW-PATH/3: the name and a slash call the path //': onPath((path) =>
    path === '/' ? '//' : path,
  ),
  'GW-PATH/4: the tenth and later segments are dropped': gatewayRequest((request) => {
    const { path, query } = request;
    const segments = path.split('/');
    if (segments.length <= 14) return;
    request.target = segments.slice(0, 13).join('/') + (query ? `?${query}` : '');
  }),
  "GW-PATH/4: the gateway's prefix is removed twice": retarget(
    replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1'),
  ),
  'GW-PATH/5: %2F in a path is decoded': onPath(replace('%2F', '/')),
  'GW-PATH/5: escapes that are not UTF-8 are replaced': onPath(replace(NOT_UTF8, '%EF%BF%BD')),
  'GW-PATH/6: empty path segments are dropped': onPath((path) =>
    /[^/]\/{2,}[^/]/.test(path) ? path.replaceAll(/\/{2,}/g, '/') : path,
  ),
  'GW-QUERY-RAW: query parameters are sorted by name': onQuery((query) => {
    const nameOf = (pair: string) => pair.split('=', 1)[0] ?? '';
    const pairs = query.split('&');
    return pairs.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other))).join('&');
  }),
  'GW-QUERY-RAW: an escaped space becomes a plus': onQuery(replace('%20', '+')),
};
