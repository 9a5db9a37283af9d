import type { DataTag, QueryKey } from '@tanstack/react-query';
import type { BerthError } from '../errors.ts';
import type { paths as GatewayPaths } from '../generated/gateway.v1.gen.ts';
import type { paths as StoragePaths } from '../generated/storage.v2.gen.ts';
import type { StoragePath } from '../internal/storage-context.ts';

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

/** Every failure is thrown as an error of this package, whatever its status. */
interface Failures {
  default: { content: { 'application/json': BerthError } };
}

/** The paths of the gateway as queries see them: a failure is an error of this package. */
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
 * The paths of the storage API as queries see them: the envelope is open, the client fills in the
 * environment, and a failure is an error of this package.
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
