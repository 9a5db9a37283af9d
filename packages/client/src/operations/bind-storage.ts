import { AVATAR_BYTES, PUBLIC_LINK_SECONDS } from '../generated/contract.gen.ts';
import { onlyResult } from '../internal/call-list.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import type { StorageFiles } from '../storage-client.ts';
import { type CopyOrder, copyFiles } from './copy-files.ts';
import { deleteFiles } from './delete-files.ts';
import { download, downloadToFile } from './download.ts';
import { tempUrl, tempUrls } from './temp-urls.ts';
import { upload } from './upload.ts';
import { uploadMany } from './upload-many.ts';

/** The methods of a storage client that deal with files. */
export function bindStorage(context: StorageContext): StorageFiles {
  const bind =
    <Rest extends unknown[], Result>(operation: (first: StorageContext, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      operation(context, ...rest);
  const copyOrMove = (isMove: boolean) =>
    (async (first: string | readonly CopyOrder[], second?: unknown, options?: object) => {
      if (typeof first !== 'string') return copyFiles(context, first, second as object, isMove);
      const order = { srcPath: first, dstPath: second as string };
      const { fileID } = await onlyResult(copyFiles(context, [order], options, isMove));
      return { fileID };
    }) as StorageFiles['copy'];
  return {
    upload: bind(upload),
    uploadMany: bind(uploadMany),
    uploadAvatar(path, data, options) {
      const maxBytes = Math.min(AVATAR_BYTES, options?.maxBytes ?? AVATAR_BYTES);
      return upload(context, path, data, { ...options, maxBytes });
    },
    tempUrl: bind(tempUrl),
    tempUrls: bind(tempUrls),
    publicUrl: (fileID, options) =>
      tempUrl(context, fileID, { ...options, maxAge: PUBLIC_LINK_SECONDS }),
    download: bind(download),
    downloadToFile: bind(downloadToFile),
    delete: ((files: string | readonly string[], options?: object) =>
      typeof files === 'string'
        ? onlyResult(deleteFiles(context, [files], options)).then(() => {})
        : deleteFiles(context, files, options)) as StorageFiles['delete'],
    copy: copyOrMove(false),
    move: copyOrMove(true),
  };
}
