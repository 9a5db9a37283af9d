import { LIMITS } from '../generated/contract.gen.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import type { StorageFiles } from '../storage-client.ts';
import type { UploadData } from '../upload/upload-data.ts';
import { type CopyOrder, copyFile, copyFiles } from './copy-files.ts';
import { deleteFile, deleteFiles } from './delete-files.ts';
import { tempUrl, tempUrls } from './temp-urls.ts';

/** Loaded with the first of them: an application that hands out links has neither. */
const downloads = () => import('./download.ts');
const uploads = () => import('./upload-many.ts');

/** The methods of a storage client that deal with files. */
export function bindStorage(context: StorageContext): StorageFiles {
  const { avatarBytes, publicLinkSeconds } = LIMITS;
  const copyOrMove = (isMove: boolean) =>
    ((first: string | readonly CopyOrder[], second?: unknown, options?: object) =>
      typeof first === 'string'
        ? copyFile(context, { srcPath: first, dstPath: second as string }, options, isMove)
        : copyFiles(context, first, second as object, isMove)) as StorageFiles['copy'];
  return {
    async upload(path, data, options) {
      holdErrors(data);
      return (await uploads()).upload(context, path, data, options);
    },
    async uploadMany(files, options) {
      for (const { data } of files) holdErrors(data);
      return (await uploads()).uploadMany(context, files, options);
    },
    uploadAvatar(path, data, options) {
      const maxBytes = Math.min(avatarBytes, options?.maxBytes ?? avatarBytes);
      return this.upload(path, data, { ...options, maxBytes });
    },
    tempUrl: (...args) => tempUrl(context, ...args),
    tempUrls: (...args) => tempUrls(context, ...args),
    publicUrl: (fileID, options) =>
      tempUrl(context, fileID, { ...options, maxAge: publicLinkSeconds }),
    download: async (...args) => (await downloads()).download(context, ...args),
    downloadToFile: async (...args) => (await downloads()).downloadToFile(context, ...args),
    delete: ((files: string | readonly string[], options?: object) =>
      typeof files === 'string'
        ? deleteFile(context, files, options)
        : deleteFiles(context, files, options)) as StorageFiles['delete'],
    copy: copyOrMove(false),
    move: copyOrMove(true),
  };
}

/** A stream of Node that fails before it is read would end the process; it is asked for that later. */
function holdErrors(data: UploadData): void {
  if (typeof data === 'object' && data && 'on' in data) {
    (data as { on(event: 'error', listener: () => void): void }).on('error', () => {});
  }
}
