import { ignoreEarlyErrors } from '#platform';
import { BATCH_CONCURRENCY } from '../generated/contract.gen.ts';
import { assertList, type Progress } from '../internal/options.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import type { UploadData } from '../platform/upload-form.ts';
import { type ItemResult, mapLimit } from './list-call.ts';

import { type UploadOptions, type UploadResult, upload } from './upload.ts';

/** A file to upload: its path, its content and its options. */
export interface UploadOrder extends Pick<UploadOptions, 'contentType' | 'size' | 'maxBytes'> {
  /** Cloud path with the file name. */
  readonly path: string;
  /** The content. */
  readonly data: UploadData;
}

/** Progress of one file of many, and of all. */
export interface UploadManyProgress extends Progress {
  /** Cloud path of the file. */
  readonly path: string;
  /** Number of files that were stored or have failed. */
  readonly filesDone: number;
  /** Total number of files. */
  readonly filesTotal: number;
}

/**
 * Options of `uploadMany`.
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
  /** Called for each progress of a file, and at its end. An error in it becomes the `error` of that file. */
  readonly onProgress?: ((progress: UploadManyProgress) => void) | undefined;
}

/** The result of `uploadMany`. */
export interface UploadManyResult {
  /** A result for each file, in order. */
  readonly results: ItemResult<{ readonly path: string }, UploadResult>[];
  /** The files that were not stored, to pass to `uploadMany` again; a stream needs new data. */
  readonly remaining: UploadOrder[];
}

/** Uploads many files. Never rejects for a failed file, nor if `signal` aborts. */
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
