import type { SharedCallOptions } from '../call-options.ts';
import { PUBLIC_LINK_SECONDS } from '../generated/contract.gen.ts';
import { LONGEST_TIMER } from '../internal/options.ts';
import { type BerthQuery, toQuery } from './query.ts';

/**
 * Options of a query for links.
 *
 * @example
 * const { data: link } = useQuery(files.link(fileID, { maxAge: 3_600 }));
 */
export interface LinkOptions extends SharedCallOptions {
  /** Lifetime of the link in whole seconds, at least 1. Default: 600. */
  readonly maxAge?: number | undefined;
}

/** A query whose data expires. It is fetched again before that, and leaves the cache before that. */
export interface LinkQuery<Data> extends BerthQuery<Data> {
  /** Four fifths of the lifetime, in milliseconds. */
  readonly staleTime: number;
  /** The last fifth of the lifetime, in milliseconds: no expired link is shown from the cache. */
  readonly gcTime: number;
  /** Time until the links are stale, in milliseconds. */
  readonly refetchInterval: (query: { readonly state: { dataUpdatedAt: number } }) => number;
  /** Forgets links that have expired while the page was hidden, before they are fetched again. */
  readonly refetchOnWindowFocus: (query: ShownQuery) => boolean;
  /** Forgets links that have expired while there was no connection, before they are fetched again. */
  readonly refetchOnReconnect: (query: ShownQuery) => boolean;
}

/** What is used of a `Query` of TanStack. */
interface ShownQuery {
  readonly state: { data: unknown; dataUpdatedAt: number };
  reset(): void;
}

/** A query for links that work for `maxAge` seconds. */
export function toLinkQuery<Data>(
  key: readonly unknown[],
  { maxAge = PUBLIC_LINK_SECONDS, ...options }: LinkOptions,
  ask: (options: LinkOptions & { signal: AbortSignal }) => Promise<Data>,
): LinkQuery<Data> {
  const lifetime = Math.min(maxAge * 1000, LONGEST_TIMER);
  const staleTime = lifetime * 0.8;
  const gcTime = lifetime - staleTime;
  // No timer runs while a page sleeps: what is shown then stays until the new links are there.
  const forgetExpired = (query: ShownQuery) => {
    const { data, dataUpdatedAt } = query.state;
    if (data !== undefined && Date.now() >= dataUpdatedAt + lifetime) query.reset();
    return true;
  };
  return {
    ...toQuery(['berth', 'links', ...key, maxAge], ({ signal }) =>
      ask({ ...options, maxAge, signal }),
    ),
    staleTime,
    gcTime,
    // Where a refetch fails the links are stale already: the next try is soon, and not at once.
    refetchInterval: ({ state }) =>
      Math.max(state.dataUpdatedAt + staleTime - Date.now(), gcTime / 4),
    refetchOnWindowFocus: forgetExpired,
    refetchOnReconnect: forgetExpired,
  };
}
