import type { DataTag, QueryKey } from '@tanstack/react-query';
import type { BerthError } from '../errors.ts';
import type { paths as GatewayPaths } from '../generated/gateway.v1.gen.ts';
import type { paths as StoragePaths } from '../generated/storage.v2.gen.ts';
import type { StoragePath } from '../internal/storage-context.ts';

/**
 * Options of one query, for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and so on.
 * Spread it to add your own: `useQuery({ ...users.get('7'), enabled })`.
 */
export interface BerthQuery<Data> {
  /** Key of the query, typed with its data, as in `getQueryData(queryKey)`. */
  readonly queryKey: DataTag<QueryKey, Data, BerthError>;
  /**
   * Calls the client and rejects if the call fails; the signal aborts the call when nothing uses its data
   * any more.
   */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
  /** Always `false`: the client itself retries what can be retried. */
  readonly retry: false;
  /** Never set; gives TanStack Query the type of the errors. */
  readonly throwOnError?: (error: BerthError) => boolean;
}

export function toQuery<Data>(
  queryKey: QueryKey,
  queryFn: BerthQuery<Data>['queryFn'],
): BerthQuery<Data> {
  return { queryKey: queryKey as BerthQuery<Data>['queryKey'], queryFn, retry: false };
}

/** Every failure is thrown as an error of this package, whatever its status. */
interface Failures {
  default: { content: { 'application/json': BerthError } };
}

/** The paths of the gateway, typed so that a failure is an error of this package. */
export type GatewayQueryPaths = {
  [Path in keyof GatewayPaths]: {
    [Method in 'get' | 'post']: Omit<GatewayPaths[Path][Method], 'responses'> & {
      responses: Pick<GatewayPaths[Path][Method]['responses'], 200> & Failures;
    };
  };
};

/** The `data` in an envelope. */
type DataOf<Envelope> = Envelope extends { body: { data?: infer Data } }
  ? NonNullable<Data>
  : never;

/**
 * The paths of the storage API, typed without the envelope; the client fills in the environment, and a
 * failure is an error of this package.
 */
export type StorageQueryPaths = {
  [Path in StoragePath]: {
    post: Omit<StoragePaths[Path]['post'], 'responses' | 'parameters'> & {
      parameters: { path?: { envId?: string } };
      responses: {
        200: {
          content: {
            'application/json': DataOf<
              StoragePaths[Path]['post']['responses'][200]['content']['application/json']
            >;
          };
        };
      } & Failures;
    };
  };
};
