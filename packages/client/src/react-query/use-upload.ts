import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { BerthError } from '../errors.ts';
import type { Progress } from '../internal/options.ts';
import type { UploadOptions, UploadResult } from '../operations/upload.ts';
import type { UploadData } from '../platform/upload-form.ts';
import type { StorageClient } from '../storage-client.ts';

/** One upload: what to upload where to, and the options of `upload`. */
export interface UploadVariables extends UploadOptions {
  /** Cloud path with the file name, such as `reports/summary.txt`. */
  readonly path: string;
  /** The content. */
  readonly data: UploadData;
}

/**
 * Options of {@link useUpload}: those of `useMutation`, such as `onSuccess`.
 *
 * @example
 * const upload = useUpload(storage, { onSuccess: ({ fileID }) => save(fileID) });
 */
export type UseUploadOptions = Omit<
  UseMutationOptions<UploadResult, BerthError, UploadVariables>,
  'mutationFn'
>;

/** What {@link useUpload} gives: a mutation, and how far it is. */
export type Upload = UseMutationResult<UploadResult, BerthError, UploadVariables> & {
  /** How far the latest upload is; `undefined` before the first one. */
  readonly progress: Progress | undefined;
  /** Ends the latest upload and forgets it; its promise rejects with an `AbortError`. */
  abort(): void;
};

/**
 * A mutation that uploads one file and tells how far it is. Like every mutation it goes on when its
 * component goes; call `abort` in an effect's clean-up where it should not.
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
