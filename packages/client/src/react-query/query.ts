import type { DataTag, QueryKey } from '@tanstack/react-query';
import type { BerthError } from '../errors.ts';

/**
 * Options of one query, for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and all the
 * others. Spread it to add your own: `useQuery({ ...users.get('7'), enabled })`.
 */
export interface BerthQuery<Data> {
  /** Key of the query; the type of its data goes with it, as in `getQueryData(queryKey)`. */
  readonly queryKey: DataTag<QueryKey, Data, BerthError>;
  /**
   * Calls the client, and fails as its call does; the signal ends the call where nothing shows its data
   * any more.
   */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
  /** Never: the client has already repeated what may be repeated. */
  readonly retry: false;
  /** Not set; by it TanStack Query knows the type of the errors. */
  readonly throwOnError?: (error: BerthError) => boolean;
}

/** A query of this package. */
export function toQuery<Data>(
  queryKey: QueryKey,
  queryFn: BerthQuery<Data>['queryFn'],
): BerthQuery<Data> {
  return { queryKey: queryKey as BerthQuery<Data>['queryKey'], queryFn, retry: false };
}
