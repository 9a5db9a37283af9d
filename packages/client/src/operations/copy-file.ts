import { singleItem } from '../internal/single-item.ts';
import type { StorageContext } from '../internal/storage-context.ts';

/** Options of a copy or a move. */
export interface CopyOptions {
  /** Replace the destination where it exists. Default: `true`, by the contract. */
  readonly overwrite?: boolean | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** What a copy or a move gives. */
export interface CopyResult {
  /** ID of the file at the destination; `undefined` where the deployment does not tell it. */
  readonly fileID: string | undefined;
}

/** One copy; with `removeOriginal` a move. */
export interface CopyOrder extends CopyOptions {
  readonly srcPath: string;
  readonly dstPath: string;
  readonly removeOriginal?: true;
}

/** Copies or moves one file. */
export async function copyFile(
  { call }: StorageContext,
  { signal, overwrite, ...order }: CopyOrder,
): Promise<CopyResult> {
  const { srcPath, dstPath, removeOriginal } = order;
  const what = `${srcPath} was not ${removeOriginal ? 'moved' : 'copied'} to ${dstPath}`;
  const item = overwrite === undefined ? order : { ...order, overwrite };
  const path = '/api/v2/envs/{envId}/storages:batchCopyFile';
  const { fileID } = singleItem(
    await call(path, { fileList: [item] }, what, signal),
    what,
    'silence',
  );
  return { fileID: typeof fileID === 'string' ? fileID : undefined };
}
