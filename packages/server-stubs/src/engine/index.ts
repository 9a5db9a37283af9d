export * from './blob-store.ts';
export { createMemoryStore } from './blob-store.ts';
export { createStorage, type Storage } from './create-storage.ts';
export type { Download, DownloadHeaders, DownloadRequest } from './download.ts';
export { assertFilePath, FilePathError, toFileID, toFilePath } from './file-path.ts';
export { FILES_PATH, type Grants, type Signer } from './signing.ts';
export {
  type FileChange,
  type SignedUse,
  type StorageCaller,
  type StorageLimits,
  type StorageOptions,
  UPLOAD_PATH,
} from './storage-context.ts';
