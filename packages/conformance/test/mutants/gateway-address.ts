import {
  firstCounts,
  forwardedRequest,
  gatewayError,
  gatewayRequest,
  retarget,
  setBody,
  toRefusal,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const NAME = /^\/v1\/cloudrun\/[^/?]*/;

/** Rewrites the path after the service name. */
const onPath = (rewrite: (path: string) => string) =>
  forwardedRequest((request) => {
    const [start = ''] = NAME.exec(request.target) ?? [];
    const query = request.target.slice(request.path.length);
    request.target = start + rewrite(request.path.slice(start.length)) + query;
  });

// The commands of the fixture service must stay intact, so a query is rewritten only if the fixture can tell.
const onQuery = (rewrite: (query: string) => string) =>
  forwardedRequest((request) => {
    if (request.query && !/\/(respond|events|count|closed|release)$/.test(request.path))
      request.target = `${request.path}?${rewrite(request.query)}`;
  });

export const gatewayAddress: Rows = {
  'GW-ENV-HOST: every host is accepted': ({ env }) =>
    gatewayRequest(({ headers }) => headers.set('Host', `${env}.gateway.example`)),
  'GW-ENV-HOST: the first Host counts for a connection': firstCounts('Host'),
  'GW-ENV-HOST: X-Forwarded-Host selects the environment': gatewayRequest(({ headers }) => {
    const host = headers.get('X-Forwarded-Host');
    if (host) headers.set('Host', host);
  }),
  'GW-PATH/1: calls of missing services reach another': retarget((target) =>
    target.replace(/(?<=^\/v1\/cloudrun\/)[^/?]+(?=\/respond)/, 'conformance'),
  ),
  'GW-PATH/1: what follows a semicolon is dropped': onPath((path) => path.replace(/;[^/]*/g, '')),
  'GW-PATH/2: a call without anyPath calls /index': onPath((path) => path || '/index'),
  'GW-PATH/3: / after the name is missing': gatewayRequest(({ path }) =>
    path.replace(NAME, '') === '/' ? toRefusal(404, 'INVALID_PATH') : undefined,
  ),
  "GW-PATH/4: the gateway's prefix is removed twice": retarget((target) =>
    target.replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1'),
  ),
  'GW-PATH/5: %2F in a path is decoded': onPath((path) => path.replaceAll('%2F', '/')),
  'GW-PATH/6: empty path segments are dropped': onPath((path) => path.replaceAll(/\/{2,}/g, '/')),
  'GW-QUERY-RAW: query parameters are sorted': onQuery((query) =>
    query.split('&').sort().join('&'),
  ),
  'GW-QUERY-RAW: an escaped space becomes a plus': onQuery((query) => query.replaceAll('%20', '+')),
  'GW-NAME/1: uppercase letters are rejected': gatewayRequest(({ service = '' }) =>
    /[A-Z]/.test(service) ? toRefusal(400, 'INVALID_REQUEST') : undefined,
  ),
  'GW-NAME/2: a long name gets HTML': gatewayError(
    { path: /\/[^/]{61,}/ },
    setBody('<h1>400 Bad Request</h1>', 'text/html'),
  ),
  'GW-NAME/2: hyphens around a name are trimmed': retarget((target) =>
    target.replace(/(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/, '$1$2'),
  ),
};
