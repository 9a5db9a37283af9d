import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { StorageClient } from '../create-storage-client.ts';
import type { BerthError } from '../errors.ts';
import type { Progress } from '../internal/options.ts';
import type { UploadOptions, UploadResult } from '../operations/upload.ts';
import type { UploadData } from '../platform/upload-form.ts';

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
