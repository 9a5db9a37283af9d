import type { DataTag, QueryKey } from '@tanstack/react-query';
import type { BerthError } from '../errors.ts';
import type { paths as GatewayPaths } from '../generated/gateway.v1.gen.ts';
import type { paths as StoragePaths } from '../generated/storage.v2.gen.ts';
import type { StoragePath } from '../internal/storage.ts';

/**
 * Options for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and so on. Spread them to
 * add your own: `useQuery({ ...users.get('7'), enabled })`.
 */
export interface BerthQuery<Data> {
  /** Query key, typed with its data for calls such as `getQueryData(queryKey)`. */
  readonly queryKey: DataTag<QueryKey, Data, BerthError>;
  /**
   * Calls the client, and rejects if the call fails. The signal aborts the call when nothing uses its
   * data any more.
   */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
  /** Always `false`, because the client itself retries. */
  readonly retry: false;
  /** Never set. It only declares the error type to TanStack Query. */
  readonly throwOnError?: (error: BerthError) => boolean;
}

export function toQuery<Data>(
  queryKey: QueryKey,
  queryFn: BerthQuery<Data>['queryFn'],
): BerthQuery<Data> {
  return { queryKey: queryKey as BerthQuery<Data>['queryKey'], queryFn, retry: false };
}

/** Every failure is thrown as a Berth error, whatever the status. */
interface Failures {
  default: { content: { 'application/json': BerthError } };
}

/** The gateway's paths, whose errors are typed as Berth errors. */
export type GatewayQueryPaths = {
  [Path in keyof GatewayPaths]: {
    [Method in 'get' | 'post']: Omit<GatewayPaths[Path][Method], 'responses'> & {
      responses: Pick<GatewayPaths[Path][Method]['responses'], 200> & Failures;
    };
  };
};

/**
 * The storage API's paths, typed without the envelope and without the environment, which the client fills in.
 * Errors are typed as Berth errors.
 */
export type StorageQueryPaths = {
  [Path in StoragePath]: {
    post: Omit<StoragePaths[Path]['post'], 'responses' | 'parameters'> & {
      parameters: { path?: { envId?: string } };
      responses: {
        200: {
          content: {
            'application/json': NonNullable<
              StoragePaths[Path]['post']['responses'][200]['content']['application/json']['body']['data']
            >;
          };
        };
      } & Failures;
    };
  };
};
