import { AVATAR_BYTES, PUBLIC_LINK_SECONDS } from '../generated/contract.gen.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import type { StorageFiles } from '../storage-client.ts';
import { type CopyOrder, copyFile, copyFiles } from './copy-files.ts';
import { deleteFile, deleteFiles } from './delete-files.ts';
import { download, downloadToFile } from './download.ts';
import { tempUrl, tempUrls } from './temp-urls.ts';
import { upload } from './upload.ts';
import { uploadMany } from './upload-many.ts';

/** The methods of a storage client that deal with files. */
export function bindStorage(context: StorageContext): StorageFiles {
  const copyOrMove = (isMove: boolean) =>
    ((first: string | readonly CopyOrder[], second?: unknown, options?: object) =>
      typeof first === 'string'
        ? copyFile(context, { srcPath: first, dstPath: second as string }, options, isMove)
        : copyFiles(context, first, second as object, isMove)) as StorageFiles['copy'];
  return {
    upload: (...args) => upload(context, ...args),
    uploadMany: (...args) => uploadMany(context, ...args),
    uploadAvatar(path, data, options) {
      const maxBytes = Math.min(AVATAR_BYTES, options?.maxBytes ?? AVATAR_BYTES);
      return upload(context, path, data, { ...options, maxBytes });
    },
    tempUrl: (...args) => tempUrl(context, ...args),
    tempUrls: (...args) => tempUrls(context, ...args),
    publicUrl: (fileID, options) =>
      tempUrl(context, fileID, { ...options, maxAge: PUBLIC_LINK_SECONDS }),
    download: (...args) => download(context, ...args),
    downloadToFile: (...args) => downloadToFile(context, ...args),
    delete: ((files: string | readonly string[], options?: object) =>
      typeof files === 'string'
        ? deleteFile(context, files, options)
        : deleteFiles(context, files, options)) as StorageFiles['delete'],
    copy: copyOrMove(false),
    move: copyOrMove(true),
  };
}
