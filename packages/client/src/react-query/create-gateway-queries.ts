import type { QueryKey, UseMutationOptions } from '@tanstack/react-query';
import createQueries, { type OpenapiQueryClient } from 'openapi-react-query';
import type { GatewayClient } from '../create-gateway-client.ts';
import type { BerthError } from '../errors.ts';
import { toGatewayError } from '../internal/gateway-errors.ts';
import type { PayloadOptions, Service } from '../service/service.ts';
import { type BerthQuery, type GatewayQueryPaths, toQuery } from './query.ts';

/** Gateway queries, created by {@link createGatewayQueries}. */
export interface GatewayQueries extends OpenapiQueryClient<GatewayQueryPaths, 'application/json'> {
  /**
   * Returns the queries for one hosted service.
   *
   * @example
   * const users = queries.service('users');
   * const { data, error } = useQuery(users.get<User>('7'));
   */
  service(name: string): ServiceQueries;
}

/** Queries for one hosted service. */
export interface ServiceQueries {
  /**
   * Key prefix that all queries for this service share.
   *
   * @example
   * await queryClient.invalidateQueries({ queryKey: users.queryKey });
   */
  readonly queryKey: QueryKey;
  /**
   * Gets a path. An empty payload becomes `null`, because queries must have data.
   *
   * @example
   * const { data } = useQuery(users.get<User>('7'));
   * const checked = useSuspenseQuery(users.get('7', { schema: UserSchema }));
   */
  get<Payload = unknown>(
    path?: string,
    options?: ServiceQueryOptions<Payload>,
  ): BerthQuery<Payload>;
  /**
   * Posts to a path. The mutation's variable is the request body.
   *
   * @example
   * const order = useMutation(users.post<Order, NewOrder>('7/orders'));
   * order.mutate({ item: 3 });
   */
  post<Payload = unknown, Body = unknown>(
    path?: string,
    options?: Omit<PayloadOptions<Payload>, 'signal'>,
  ): UseMutationOptions<Payload, BerthError, Body>;
}

/**
 * Options for a query. Headers cannot be set here, because they would have to be part of the key: set them on
 * the client.
 *
 * @example
 * const { data } = useQuery(users.get('7', { schema: UserSchema, retry: false }));
 */
export type ServiceQueryOptions<Payload> = Omit<PayloadOptions<Payload>, 'signal' | 'headers'>;

/**
 * Creates TanStack Query options for the gateway: `service(name)` for most calls, and `useQuery`,
 * `useMutation`, `queryOptions`, … from `openapi-react-query` for the raw operations. Every failure is
 * thrown as a Berth error.
 *
 * The query keys do not include the gateway: use a separate `QueryClient` for each environment.
 *
 * @example
 * const queries = createGatewayQueries(createGatewayClient({ baseUrl, auth }));
 * const { data } = queries.useQuery('get', '/v1/cloudrun/{name}', {
 *   params: { path: { name: 'hello' } },
 * });
 */
export function createGatewayQueries<Services extends object = Record<never, never>>(
  gateway: GatewayClient<Services>,
): GatewayQueries {
  const call = (method: 'GET' | 'POST') => async (path: never, init: never) => {
    const result = await gateway[method](path, init);
    if (!result.response.ok) throw toGatewayError(result);
    return result;
  };
  const raw = createQueries<GatewayQueryPaths, 'application/json'>({
    GET: call('GET'),
    POST: call('POST'),
  } as never);
  return {
    ...raw,
    service: (name) => createServiceQueries(gateway.service(name as never), name),
  };
}

function createServiceQueries(service: Service, name: string): ServiceQueries {
  const queryKey = ['berth', 'service', name];
  return {
    queryKey,
    get: <Payload>(path = '', options: ServiceQueryOptions<Payload> = {}) =>
      toQuery([...queryKey, path], async ({ signal }) => {
        const payload = await service.get<Payload>(path, { ...options, signal });
        return payload ?? (null as Payload);
      }),
    post: (path, options) => ({ mutationFn: (body) => service.post(path, body, options) }),
  };
}
