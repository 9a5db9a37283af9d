import { ignoreEarlyErrors } from '#platform';
import { BATCH_CONCURRENCY } from '../generated/contract.gen.ts';
import { assertList, type Progress } from '../internal/options.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage.ts';
import type { UploadData } from '../platform/upload-form.ts';
import { type ItemResult, mapLimit } from './lists.ts';

import { type UploadOptions, type UploadResult, upload } from './upload.ts';

/** A file to upload, with its own options. */
export interface UploadOrder extends Pick<UploadOptions, 'contentType' | 'size' | 'maxBytes'> {
  /** Path in the storage, including the file name. */
  readonly path: string;
  /** Content of the file. */
  readonly data: UploadData;
}

/** Progress of one file, and of the entire upload. */
export interface UploadManyProgress extends Progress {
  /** Path of the file in the storage. */
  readonly path: string;
  /** Number of files that are stored or have failed. */
  readonly filesDone: number;
  /** Total number of files. */
  readonly filesTotal: number;
}

/**
 * Options for `uploadMany`.
 *
 * @example
 * const { remaining } = await storage.uploadMany(files, {
 *   concurrency: 2,
 *   onProgress: ({ path, loaded, filesDone, filesTotal }) => show(path, loaded, filesDone, filesTotal),
 * });
 */
export interface UploadManyOptions extends StorageCallOptions {
  /** Number of parallel uploads. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Called as a file makes progress, and when it is done. If it throws, that becomes the file's `error`. */
  readonly onProgress?: ((progress: UploadManyProgress) => void) | undefined;
}

/** The result of `uploadMany`. */
export interface UploadManyResult {
  /** The result for each file, in order. */
  readonly results: ItemResult<{ readonly path: string }, UploadResult>[];
  /** The files that were not stored, to pass to `uploadMany` again. A stream must be replaced first. */
  readonly remaining: UploadOrder[];
}

/** Uploads many files. The promise does not reject if a file fails or `signal` aborts. */
export async function uploadMany(
  context: StorageContext,
  files: readonly UploadOrder[],
  { concurrency = BATCH_CONCURRENCY, onProgress, ...options }: UploadManyOptions = {},
): Promise<UploadManyResult> {
  assertList('files', files);
  ignoreEarlyErrors(files);
  let filesDone = 0;
  const filesTotal = files.length;
  const results = await mapLimit(files, concurrency, async ({ path, data, ...rest }) => {
    let progress: Progress = { loaded: 0, total: undefined };
    const tell = () => onProgress?.({ ...progress, path, filesDone, filesTotal });
    const onStep = (now: Progress) => {
      progress = now;
      tell();
    };
    const order = { ...options, ...rest, onProgress: onProgress && onStep };
    const failed = (error: Error) => ({ path, error });
    const result = await upload(context, path, data, order).then(
      (stored) => ({ path, ...stored }),
      failed,
    );
    filesDone += 1;
    try {
      tell();
    } catch (error) {
      return failed(error as Error);
    }
    return result;
  });
  return { results, remaining: files.filter((_, index) => 'error' in (results[index] as object)) };
}
