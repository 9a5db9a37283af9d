import {
  type DataTag,
  type QueryKey,
  queryOptions,
  type UnusedSkipTokenOptions,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { MAX_TIMER } from './budget.ts';
import type { Progress } from './call-options.ts';
import type { BerthError } from './errors.ts';
import type { TempUrlOptions, TempUrlResult } from './files.ts';
import { PUBLIC_LINK_SECONDS } from './generated/contract.gen.ts';
import type { PayloadOptions, Service } from './service.ts';
import type { StorageClient } from './storage.ts';
import type { UploadData } from './transfer/form.ts';
import type { UploadOptions, UploadResult } from './transfer/upload.ts';

type Query<Data> = UnusedSkipTokenOptions<Data, BerthError> & {
  readonly queryKey: DataTag<QueryKey, Data, BerthError>;
};

/**
 * Query options for a path of a hosted service. The key is `['berth', service.url, path]`, so headers cannot be set
 * here: set them on the client. Queries of a path share their data: for another `schema`, override the key:
 * `{ ...serviceQuery(…), queryKey: […] }`. An empty payload becomes `null`, because queries must have data.
 *
 * @example
 * const users = gateway.service('users');
 * const { data, error } = useQuery(serviceQuery<User>(users, '7'));
 * await queryClient.invalidateQueries({ queryKey: ['berth', users.url] });
 */
export function serviceQuery<Payload = unknown>(
  service: Service,
  path = '',
  options: Omit<PayloadOptions<Payload>, 'signal' | 'headers'> = {},
): Query<Payload> {
  return queryOptions<Payload, BerthError>({
    queryKey: ['berth', service.url, path.replace(/^\//, '')],
    queryFn: async ({ signal }) =>
      (await service.get<Payload>(path, { ...options, signal })) ?? (null as Payload),
    // The client itself retries.
    retry: false,
  });
}

type LinkOptions = Omit<TempUrlOptions, 'signal'>;

/**
 * Returns the options of a query for a link to a file, which is renewed before it expires. The key does not contain
 * the deployment: use a `QueryClient` for each.
 *
 * @param options `maxAge` is the lifetime of the link in seconds. Default: 600
 *
 * @example
 * const { data: src } = useQuery(linkQuery(storage, fileID, { maxAge: 3_600 }));
 */
export function linkQuery(
  storage: Pick<StorageClient, 'tempUrl'>,
  fileID: string,
  options: LinkOptions = {},
): Query<string> {
  return toLinkQuery(fileID, options, (linkOptions) => storage.tempUrl(fileID, linkOptions));
}

/**
 * Returns the options of a query for links to files, in order, each with a `url` or an `error`. It fails if there is
 * no link at all.
 *
 * @param options `maxAge` is the lifetime of the links in seconds. Default: 600
 *
 * @example
 * const { data: pictures = [] } = useQuery(linksQuery(storage, fileIDs));
 */
export function linksQuery(
  storage: Pick<StorageClient, 'tempUrls'>,
  fileIDs: readonly string[],
  options: LinkOptions = {},
): Query<TempUrlResult[]> {
  return toLinkQuery(fileIDs, options, async (linkOptions) => {
    const links = await storage.tempUrls(fileIDs, linkOptions);
    const [first] = links;
    if (first?.error && links.every(({ error }) => error)) throw first.error;
    return links;
  });
}

function toLinkQuery<Data>(
  key: unknown,
  { maxAge = PUBLIC_LINK_SECONDS, ...options }: LinkOptions,
  fetchLinks: (options: TempUrlOptions) => Promise<Data>,
): Query<Data> {
  const lifetime = Math.min(maxAge * 1000, MAX_TIMER);
  const staleTime = lifetime * 0.8;
  const gcTime = lifetime - staleTime;
  return queryOptions<Data, BerthError>({
    queryKey: ['berth', 'links', key, maxAge],
    queryFn: ({ signal }) => fetchLinks({ ...options, maxAge, signal }),
    retry: false,
    staleTime,
    gcTime,
    // After a failure, the links are stale already: try again soon, but not at once.
    refetchInterval: ({ state }) =>
      Math.max(state.dataUpdatedAt + staleTime - Date.now(), Math.min(gcTime / 4, 30_000)),
  });
}

/** Variables of an upload: its path in the storage, its content, and the options of `upload`. */
export interface UploadVariables extends UploadOptions {
  readonly path: string;
  readonly data: UploadData;
}

/** The mutation of {@link useUpload}, with the progress of the latest upload. */
export type Upload = UseMutationResult<UploadResult, BerthError, UploadVariables> & {
  /** `undefined` before the first bytes. */
  readonly progress: Progress | undefined;
  /** Aborts the latest upload, whose promise rejects with an `AbortError`, and resets the mutation. */
  abort(): void;
};

/**
 * Returns a mutation that uploads a file. Like every mutation, it continues after its component unmounts; call `abort`
 * in the clean-up of an effect to prevent that.
 *
 * @param options those of `useMutation`, such as `onSuccess`
 *
 * @example
 * const upload = useUpload(storage, { onSuccess: ({ fileID }) => save(fileID) });
 * upload.mutate({ path: 'videos/a.mp4', data: file });
 * if (upload.isPending) return <progress value={upload.progress?.loaded} max={file.size} />;
 */
export function useUpload(
  storage: Pick<StorageClient, 'upload'>,
  options: Omit<UseMutationOptions<UploadResult, BerthError, UploadVariables>, 'mutationFn'> = {},
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
