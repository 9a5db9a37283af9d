import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import createQueries, { type OpenapiQueryClient } from 'openapi-react-query';
import { useCallback, useRef, useState } from 'react';
import type { SharedCallOptions } from '../call-options.ts';
import type { StorageClient } from '../create-storage-client.ts';
import { type BerthError, isStorageError } from '../errors.ts';
import { PUBLIC_LINK_SECONDS } from '../generated/contract.gen.ts';
import { LONGEST_TIMER, type Progress } from '../internal/options.ts';
import { unwrapEnvelope } from '../internal/storage.ts';
import type { TempUrlResult } from '../operations/lists.ts';
import type { UploadOptions, UploadResult } from '../operations/upload.ts';
import type { UploadData } from '../platform/upload-form.ts';
import { type BerthQuery, type StorageQueryPaths, toQuery } from './query.ts';

/** Storage API queries, created by {@link createStorageQueries}. */
export interface StorageQueries extends OpenapiQueryClient<StorageQueryPaths, 'application/json'> {
  /**
   * Gets a link to a file, and gets a new one before it expires.
   *
   * @example
   * const { data: src } = useQuery(files.tempUrl(fileID, { maxAge: 3600 }));
   */
  tempUrl(fileID: string, options?: LinkOptions): LinkQuery<string>;
  /**
   * Gets links to a list of files, in order, each with a `url` or an `error`. If the call itself fails,
   * so does the query.
   *
   * @example
   * const { data: pictures = [] } = useQuery(files.tempUrls(ids));
   */
  tempUrls(fileIDs: readonly string[], options?: LinkOptions): LinkQuery<TempUrlResult[]>;
}

/**
 * Options for a link query.
 *
 * @example
 * const { data: link } = useQuery(files.tempUrl(fileID, { maxAge: 3_600 }));
 */
export interface LinkOptions extends SharedCallOptions {
  /** How long the link is valid, in whole seconds, at least 1. Default: 600. */
  readonly maxAge?: number | undefined;
}

/** A query whose data expires. The data is refetched, or removed from the cache, before it expires. */
export interface LinkQuery<Data> extends BerthQuery<Data> {
  /** Four fifths of the link lifetime, in milliseconds. */
  readonly staleTime: number;
  /** One fifth of the link lifetime, in milliseconds, so that no expired link is shown from the cache. */
  readonly gcTime: number;
  /** How long until the links become stale, in milliseconds. */
  readonly refetchInterval: (query: { readonly state: { dataUpdatedAt: number } }) => number;
  /** Removes links that expired while the page was hidden, before they are refetched. */
  readonly refetchOnWindowFocus: (query: ShownQuery) => boolean;
  /** Removes links that expired while offline, before they are refetched. */
  readonly refetchOnReconnect: (query: ShownQuery) => boolean;
}

/**
 * Creates TanStack Query options for the storage API: links that stay fresh, uploads, and `useQuery`,
 * `useMutation`, … from `openapi-react-query` for the raw operations, which return the `data` of the
 * envelope. Every failure is thrown as a Berth error.
 *
 * The query keys do not include the environment: use a separate `QueryClient` for each one.
 *
 * @example
 * const files = createStorageQueries(createStorageClient({ baseUrl, envId, credentials }));
 * const remove = files.useMutation('post', '/api/v2/envs/{envId}/storages:batchDelete');
 * remove.mutate({ body: { fileList: ids } });
 */
export function createStorageQueries(storage: StorageClient): StorageQueries {
  const POST = async (path: never, init: never) => {
    const result = await storage.POST(path, init);
    return { data: unwrapEnvelope(result), response: result.response };
  };
  return {
    ...createQueries<StorageQueryPaths, 'application/json'>({ POST } as never),
    tempUrl: (fileID, options = {}) =>
      toLinkQuery([fileID], options, (call) => storage.tempUrl(fileID, call)),
    tempUrls: (fileIDs, options = {}) =>
      toLinkQuery([fileIDs], options, async (call) => {
        const links = await storage.tempUrls(fileIDs, call);
        const failure = links.find(isOfCall)?.error;
        if (failure) throw failure;
        return links;
      }),
  };
}

/**
 * Returns whether a file failed because the entire call failed: its error is not a refusal, or it is the same
 * error that other files have.
 */
function isOfCall({ error }: TempUrlResult, index: number, all: readonly TempUrlResult[]): boolean {
  if (!error) return false;
  const isRefusal = isStorageError(error) && error.status === 200;
  return !isRefusal || all.some((other, place) => place !== index && other.error === error);
}

interface ShownQuery {
  readonly state: { data: unknown; dataUpdatedAt: number };
  reset(): void;
}

/** Creates a query for links that are valid for `maxAge` seconds. */
function toLinkQuery<Data>(
  key: readonly unknown[],
  { maxAge = PUBLIC_LINK_SECONDS, ...options }: LinkOptions,
  ask: (options: LinkOptions & { signal: AbortSignal }) => Promise<Data>,
): LinkQuery<Data> {
  const lifetime = Math.min(maxAge * 1000, LONGEST_TIMER);
  const staleTime = lifetime * 0.8;
  const gcTime = lifetime - staleTime;
  // No timer runs while a page sleeps, so expired data would be shown until the new links arrive.
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
    // If a refetch fails, the links are already stale, so retry soon but not immediately.
    refetchInterval: ({ state }) =>
      Math.max(state.dataUpdatedAt + staleTime - Date.now(), gcTime / 4),
    refetchOnWindowFocus: forgetExpired,
    refetchOnReconnect: forgetExpired,
  };
}

/** Variables for an upload: the path, the content and the options for `upload`. */
export interface UploadVariables extends UploadOptions {
  /** Path in the storage, including the file name, such as `reports/summary.txt`. */
  readonly path: string;
  /** Content of the file. */
  readonly data: UploadData;
}

/**
 * Options for {@link useUpload}: the same as for `useMutation`, such as `onSuccess`.
 *
 * @example
 * const upload = useUpload(storage, { onSuccess: ({ fileID }) => save(fileID) });
 */
export type UseUploadOptions = Omit<
  UseMutationOptions<UploadResult, BerthError, UploadVariables>,
  'mutationFn'
>;

/** The result of {@link useUpload}: a mutation with progress. */
export type Upload = UseMutationResult<UploadResult, BerthError, UploadVariables> & {
  /** Progress of the latest upload; `undefined` before the first one. */
  readonly progress: Progress | undefined;
  /** Aborts the latest upload, whose promise rejects with an `AbortError`, and resets the mutation. */
  abort(): void;
};

/**
 * Returns a mutation that uploads one file and reports its progress. Like every mutation, it continues
 * after its component unmounts; to prevent that, call `abort` when an effect is cleaned up.
 *
 * @example
 * const upload = useUpload(storage, { onSuccess: ({ fileID }) => save(fileID) });
 * upload.mutate({ path: 'videos/a.mp4', data: file });
 * if (upload.isPending) return <progress value={upload.progress?.loaded} max={file.size} />;
 */
export function useUpload(
  storage: Pick<StorageClient, 'upload'>,
  options: UseUploadOptions = {},
): Upload {
  const [progress, setProgress] = useState<Progress>();
  const latest = useRef<AbortController>(undefined);
  const mutation = useMutation({
    ...options,
    mutationFn: ({ path, data, onProgress, signal, ...rest }: UploadVariables) => {
      const controller = new AbortController();
      latest.current = controller;
      setProgress(undefined);
      return storage.upload(path, data, {
        ...rest,
        signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
        onProgress(now) {
          if (latest.current === controller) setProgress(now);
          onProgress?.(now);
        },
      });
    },
  });
  const { reset } = mutation;
  const abort = useCallback(() => {
    latest.current?.abort();
    latest.current = undefined;
    setProgress(undefined);
    reset();
  }, [reset]);
  return { ...mutation, progress, abort };
}
