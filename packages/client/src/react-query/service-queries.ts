import type { QueryKey, UseMutationOptions } from '@tanstack/react-query';
import type { BerthError } from '../errors.ts';
import type { PayloadOptions, Service } from '../service/service.ts';
import { type BerthQuery, toQuery } from './query.ts';

/**
 * Options of a call; headers are those of the client, for they would have to be part of the key.
 *
 * @example
 * const { data } = useQuery(users.get('7', { schema: UserSchema, retry: false }));
 */
export type ServiceQueryOptions<Payload> = Omit<PayloadOptions<Payload>, 'signal' | 'headers'>;

/** Queries of one hosted service. */
export interface ServiceQueries {
  /**
   * Key of all queries of this service.
   *
   * @example
   * await queryClient.invalidateQueries({ queryKey: users.queryKey });
   */
  readonly queryKey: QueryKey;
  /**
   * Gets the payload of a path; `null` where it is empty, for a query has always data.
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
   * Posts to a path; the variable of the mutation is the body.
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

/** Queries of one hosted service. */
export function createServiceQueries(service: Service, name: string): ServiceQueries {
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
