import type { UseMutationOptions } from '@tanstack/react-query';
import createQueries, { type OpenapiQueryClient } from 'openapi-react-query';
import { type BerthError, isStorageError } from '../errors.ts';
import { unwrapEnvelope } from '../internal/envelope.ts';
import type { TempUrlResult } from '../operations/temp-urls.ts';
import type { UploadResult } from '../operations/upload.ts';
import type { StorageClient } from '../storage-client.ts';
import { type LinkOptions, type LinkQuery, toLinkQuery } from './link-query.ts';
import type { StorageQueryPaths } from './query-paths.ts';
import type { UploadVariables } from './use-upload.ts';

/** Queries of the storage API; see {@link createStorageQueries}. */
export interface StorageQueries extends OpenapiQueryClient<StorageQueryPaths, 'application/json'> {
  /**
   * A link to a file that always works: it is fetched again before it expires.
   *
   * @example
   * const { data: src } = useQuery(files.tempUrl(fileID, { maxAge: 3600 }));
   */
  tempUrl(fileID: string, options?: LinkOptions): LinkQuery<string>;
  /**
   * Links to a list of files, each with its `url` or its `error`, in the order given. A call that
   * fails is the error of the query.
   *
   * @example
   * const { data: pictures = [] } = useQuery(files.tempUrls(ids));
   */
  tempUrls(fileIDs: readonly string[], options?: LinkOptions): LinkQuery<TempUrlResult[]>;
  /**
   * Uploads the file that the mutation is called with. `useUpload` shows progress as well.
   *
   * @example
   * const upload = useMutation(files.upload());
   * upload.mutate({ path: 'avatars/7.png', data: file });
   */
  upload(): UseMutationOptions<UploadResult, BerthError, UploadVariables>;
}

/**
 * Queries of the storage API for TanStack Query: links that stay fresh and uploads, and `useQuery`,
 * `useMutation`, … of `openapi-react-query` for the raw operations. Those give the `data` of the
 * envelope. Every failure is an error of this package.
 *
 * The keys do not name the environment: give each one a `QueryClient` of its own.
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
    upload: () => ({
      mutationFn: ({ path, data, ...options }) => storage.upload(path, data, options),
    }),
  };
}

/** Whether the error of a file is that of the call: no refusal of this one file, or shared with others. */
function isOfCall({ error }: TempUrlResult, index: number, all: readonly TempUrlResult[]): boolean {
  if (!error) return false;
  const isRefusal = isStorageError(error) && error.status === 200;
  return !isRefusal || all.some((other, place) => place !== index && other.error === error);
}
