import createQueries, { type OpenapiQueryClient } from 'openapi-react-query';
import type { GatewayClient } from '../create-gateway-client.ts';
import { toGatewayError } from '../internal/gateway-answers.ts';
import type { GatewayQueryPaths } from './query-paths.ts';
import { createServiceQueries, type ServiceQueries } from './service-queries.ts';

/** Queries of the gateway; see {@link createGatewayQueries}. */
export interface GatewayQueries extends OpenapiQueryClient<GatewayQueryPaths, 'application/json'> {
  /**
   * The queries of one hosted service.
   *
   * @example
   * const users = queries.service('users');
   * const { data, error } = useQuery(users.get<User>('7'));
   */
  service(name: string): ServiceQueries;
}

/**
 * Queries of the gateway for TanStack Query: `service(name)` for every day, and `useQuery`,
 * `useMutation`, `queryOptions`, … of `openapi-react-query` for the raw operations. Every failure is
 * an error of this package.
 *
 * The keys do not name the gateway: give each environment a `QueryClient` of its own.
 *
 * @example
 * const queries = createGatewayQueries(createGatewayClient({ baseUrl, auth }));
 * const { data } = queries.useQuery('get', '/v1/cloudrun/{name}', {
 *   params: { path: { name: 'hello' } },
 * });
 */
export function createGatewayQueries(gateway: GatewayClient): GatewayQueries {
  const call = (method: 'GET' | 'POST') => async (path: never, init: never) => {
    const result = await gateway[method](path, init);
    if (!result.response.ok) throw toGatewayError(result);
    return result;
  };
  const raw = createQueries<GatewayQueryPaths, 'application/json'>({
    GET: call('GET'),
    POST: call('POST'),
  } as never);
  return { ...raw, service: (name) => createServiceQueries(gateway.service(name), name) };
}
